package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.charset.StandardCharsets;

/** Other programs that tests run and that have to succeed. */
final class TestCommand {
    private TestCommand() {}

    /**
     * Runs a program in a namespace.
     *
     * @param command its words, with a blank between two
     * @return all that it wrote
     */
    static String in(NetworkNamespace namespace, String command) throws Exception {
        return namespace.call(() -> {
            Process process = new ProcessBuilder(command.split(" "))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(command + ": " + output).isZero();
            return output;
        });
    }

    /** Runs a program that shares the test's output. */
    static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    }
}
