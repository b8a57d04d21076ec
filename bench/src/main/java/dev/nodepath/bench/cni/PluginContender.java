package dev.nodepath.bench.cni;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A plugin, called as a container runtime calls it.
 *
 * @param name in the table
 * @param command the command to exec, with its arguments
 * @param number for bridge and addresses of its own
 */
public record PluginContender(String name, List<String> command, int number) {
    private static final String PLUGINS = "/usr/lib/cni";

    public PluginContender {
        command = List.copyOf(command);
    }

    PluginContender(String name, Path plugin, int number) {
        this(name, List.of(plugin.toString()), number);
    }

    /** A call was refused. */
    public static final class Refusal extends Exception {
        Refusal(String message) {
            super(message);
        }
    }

    /** Calls the plugin and returns how long that took, in milliseconds, from exec to the end of its process. */
    double call(String cniCommand, String container, String netns, String config)
            throws IOException, InterruptedException, Refusal {
        return call(cniCommand, container, netns, config, Map.of());
    }

    /** The same with more variables. */
    public double call(String cniCommand, String container, String netns, String config, Map<String, String> variables)
            throws IOException, InterruptedException, Refusal {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment()
                .putAll(Map.of(
                        "PATH", "/usr/sbin:/usr/bin:/sbin:/bin",
                        "CNI_COMMAND", cniCommand,
                        "CNI_CONTAINERID", container,
                        "CNI_NETNS", netns,
                        "CNI_IFNAME", "eth0",
                        "CNI_PATH", PLUGINS));
        builder.environment().putAll(variables);
        String java = System.getenv("JAVA_HOME");
        if (java != null) {
            builder.environment().put("JAVA_HOME", java);
        }
        long start = System.nanoTime();
        Process process = builder.start();
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(config.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A plugin that answers without reading closes the pipe, for example at VERSION; its exit code tells
            // whether that was right.
        }
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode = process.waitFor();
        double millis = (System.nanoTime() - start) / 1e6;
        if (exitCode != 0) {
            throw new Refusal(name + " " + cniCommand + ": " + answer);
        }
        return millis;
    }

    /**
     * A network of this contender's own.
     *
     * @param members more of the configuration, such as {@code "ipMasq":true,}; empty for none
     */
    String config(String network, String members) {
        return """
                {"cniVersion":"1.0.0","name":"%s","type":"bridge","bridge":"bench%d","isDefaultGateway":true,%s
                 "ipam":{"type":"host-local","dataDir":"/run/bench-%s","ranges":[[{"subnet":"10.%d.0.0/16"}]]}}""".formatted(network, number, members, name, number);
    }
}
