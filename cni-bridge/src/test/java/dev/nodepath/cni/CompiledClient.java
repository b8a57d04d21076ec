package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The client that a runtime execs, compiled for a test. Needs a C compiler. */
public final class CompiledClient {
    private static final Path SOURCE =
            Path.of(System.getProperty("nodepath.home", ".."), "cni-bridge", "src", "main", "c", "nodepath-bridge.c");

    private static final String WAIT = "HELLO_WAIT_S = 1,";

    private CompiledClient() {}

    /** Compiles it to this file, and returns that; with more patience, as a test's server may be slow to greet it. */
    public static Path at(Path program) throws Exception {
        String source = Files.readString(SOURCE);
        assertThat(source).contains(WAIT);
        Process compiler = new ProcessBuilder(
                        "cc", "-Wall", "-Wextra", "-Werror", "-o", program.toString(), "-x", "c", "-")
                .redirectErrorStream(true)
                .start();
        try (OutputStream input = compiler.getOutputStream()) {
            input.write(source.replace(WAIT, "HELLO_WAIT_S = 5,").getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(output).isZero();
        return program;
    }
}
