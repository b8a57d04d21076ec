package dev.nodepath.agent.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names this node's Node object. */
public final class HostnameOption {
    private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");

    @Option(
            names = "--hostname-override",
            paramLabel = "NAME",
            defaultValue = "${env:NODE_NAME}",
            description = "Name of this node's Node object (default: $NODE_NAME, else the host's name).")
    private @Nullable String hostname;

    /** The option, the environment's name or the host's name, in lower case as kube-proxy has it. */
    public String node() throws CommandException {
        if (hostname != null && !hostname.isBlank()) {
            return hostname.strip().toLowerCase(Locale.ROOT);
        }
        try {
            return Files.readString(HOSTNAME).strip().toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            throw CommandException.failed("--hostname-override: not given, and the host's name cannot be read: " + e);
        }
    }
}
