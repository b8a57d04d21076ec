package dev.nodepath.agent;

import dev.nodepath.linux.Cidr;
import dev.nodepath.proxy.iptables.IptablesConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** The options that shape rules, named as kube-proxy's, and where the objects come from. */
final class ProxyOptions {
    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            required = true,
            arity = "1..*",
            description = "Files or folders of Kubernetes manifests: Services, EndpointSlices, Nodes.")
    private List<Path> manifests = new ArrayList<>();

    @Option(
            names = "--cluster-cidr",
            paramLabel = "CIDR",
            split = ",",
            description =
                    "Where pods are, one network of each family; traffic from elsewhere to cluster IPs is masqueraded.")
    private List<String> clusterCidrs = new ArrayList<>();

    @Option(
            names = "--masquerade-all",
            arity = "0..1",
            fallbackValue = "true",
            description = "Masquerade all traffic to cluster IPs.")
    private boolean masqueradeAll;

    @Option(
            names = "--iptables-masquerade-bit",
            paramLabel = "BIT",
            defaultValue = "14",
            description = "Bit of the packet mark that asks for masquerading, 0 to 31 (default: ${DEFAULT-VALUE}).")
    private int masqueradeBit;

    @Option(
            names = "--iptables-localhost-nodeports",
            paramLabel = "BOOL",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            description = "Serve node ports on 127.0.0.1 too (default: ${DEFAULT-VALUE}).")
    private boolean localhostNodePorts;

    /** The files and folders, each of which must be there. */
    List<Path> manifests() throws CommandException {
        for (Path path : manifests) {
            if (!Files.exists(path)) {
                throw CommandException.wrongUsage(
                        List.of("--manifests: " + path + ": not found (expected: a file or folder)"));
            }
        }
        return List.copyOf(manifests);
    }

    IptablesConfig iptables() throws CommandException {
        IptablesConfig defaults = IptablesConfig.DEFAULTS;
        try {
            return new IptablesConfig(
                    clusterCidrs.stream().map(Cidr::parse).toList(),
                    masqueradeAll,
                    masqueradeBit,
                    localhostNodePorts,
                    defaults.randomFully(),
                    defaults.dropInvalid());
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("proxy options: " + e.getMessage()));
        }
    }

    /** Reads a duration as kube-proxy's options have it, such as {@code 1s}, {@code 250ms} or {@code 1m30s}. */
    static Duration duration(String option, String text) throws CommandException {
        if (!text.matches("(\\d+h)?(\\d+m(?!s))?(\\d+s)?(\\d+ms)?") || text.isEmpty()) {
            throw CommandException.wrongUsage(
                    List.of(option + ": \"" + text + "\" (expected: a duration such as 1s, 250ms or 1m30s)"));
        }
        Duration sum = Duration.ZERO;
        Matcher parts = Pattern.compile("(\\d+)(ms|h|m|s)").matcher(text);
        while (parts.find()) {
            long amount = Long.parseLong(parts.group(1));
            sum = sum.plus(
                    switch (parts.group(2)) {
                        case "h" -> Duration.ofHours(amount);
                        case "m" -> Duration.ofMinutes(amount);
                        case "s" -> Duration.ofSeconds(amount);
                        default -> Duration.ofMillis(amount);
                    });
        }
        return sum;
    }
}
