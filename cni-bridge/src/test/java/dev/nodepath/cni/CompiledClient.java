package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The client that a runtime execs, compiled for a test. Needs a C compiler. */
public final class CompiledClient {
    private static final Path SOURCE =
            Path.of(System.getProperty("nodepath.home", ".."), "cni-bridge", "src", "main", "c", "nodepath-bridge.c");

    private CompiledClient() {}

    /** Compiles it to this file, and returns that. */
    public static Path at(Path program) throws Exception {
        Process compiler = new ProcessBuilder(
                        "cc", "-Wall", "-Wextra", "-Werror", "-o", program.toString(), SOURCE.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(output).isZero();
        return program;
    }
}
