package dev.nodepath.agent.containerd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs that tests run. */
final class Program {
    static final Path HOME =
            Path.of(System.getProperty("nodepath.home", "..")).toAbsolutePath().normalize();
    private static final int SECONDS_MAX = 300;

    private Program() {}

    /** The result of a program; standard error is part of its output. */
    record Output(int exitCode, String text) {}

    static Output run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS))
                .as(command.toString())
                .isTrue();
        return new Output(process.exitValue(), text);
    }

    /** The output of a program that has to succeed. */
    static String output(String... command) throws IOException, InterruptedException {
        Output output = run(List.of(command));
        assertThat(output.exitCode())
                .as(List.of(command) + ": " + output.text())
                .isZero();
        return output.text();
    }
}
