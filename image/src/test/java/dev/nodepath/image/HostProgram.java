package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Programs that tests run beside containers. */
final class HostProgram {
    private HostProgram() {}

    /** The output of a program, which must succeed; standard error is part of it. */
    static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(List.of(command) + ": " + text).isZero();
        return text;
    }
}
