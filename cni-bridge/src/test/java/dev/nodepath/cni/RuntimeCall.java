package dev.nodepath.cni;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Execs the plugin as containerd does: nothing but environment and standard input in, standard output and exit code
 * out.
 */
record RuntimeCall(List<String> command, Map<String, String> environment) {

    /** The result of a call of the plugin. */
    record Answer(int exitCode, String stdout, String stderr) {
        /** A member of the answer, found by the text around it. */
        String between(String before, String after) {
            int from = stdout.indexOf(before) + before.length();
            return stdout.substring(from, stdout.indexOf(after, from));
        }
    }

    /** The plugin as it is built, with its archive of classes: a fifth of the time of a start from their folders. */
    static RuntimeCall program() {
        Path launcher = Path.of(System.getProperty("nodepath.home", ".."), "scripts", "nodepath-bridge");
        return new RuntimeCall(List.of(launcher.toString()), Map.of("JAVA_HOME", System.getProperty("java.home")));
    }

    Answer call(String cniCommand, String container, String netns, String config)
            throws IOException, InterruptedException {
        Map<String, String> all = new TreeMap<>(environment);
        all.putAll(TestNode.environment(cniCommand, container, netns));
        return new RuntimeCall(command, all).call(config);
    }

    /** The call that the environment says. */
    Answer call(String config) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("CNI_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        Thread feeder = new Thread(() -> feed(process, config), "stdin");
        feeder.start();
        String stdout = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String stderr = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        feeder.join();
        return new Answer(process.waitFor(), stdout, stderr);
    }

    private static void feed(Process process, String config) {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(config.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A plugin that answers without reading closes the pipe, for example at VERSION.
            if (process.isAlive()) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
