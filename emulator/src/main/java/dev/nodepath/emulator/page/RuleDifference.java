package dev.nodepath.emulator.page;

import dev.nodepath.linux.KernelLinuxNet;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The changes of a node's rules in the kernel, line by line, since the last reading. */
final class RuleDifference {
    private static final Logger LOG = LoggerFactory.getLogger(RuleDifference.class);
    /** The most lines; the page shows no more. */
    private static final int LINES_MAX = 60;

    private final KernelLinuxNet net;
    private final Map<String, Set<String>> known = new HashMap<>();

    RuleDifference(KernelLinuxNet net) {
        this.net = net;
    }

    /**
     * Added and removed lines.
     *
     * @param added at most {@value RuleDifference#LINES_MAX}
     * @param removed likewise
     */
    record Lines(List<String> added, List<String> removed) {
        Lines {
            added = List.copyOf(added);
            removed = List.copyOf(removed);
        }

        static Lines between(Set<String> before, Set<String> after) {
            return new Lines(without(after, before), without(before, after));
        }

        private static List<String> without(Set<String> lines, Set<String> others) {
            return lines.stream()
                    .filter(line -> !others.contains(line))
                    .limit(LINES_MAX)
                    .toList();
        }
    }

    /** A node's rules are gone. */
    void forget(String node) {
        known.put(node, Set.of());
    }

    /** Reads a node's rules. The first reading reports no changes; after a change of mode all rules are different. */
    Lines take(String node, String mode) {
        Set<String> now = read(node, mode);
        Set<String> before = known.put(node, now);
        return before == null ? new Lines(List.of(), List.of()) : Lines.between(before, now);
    }

    private Set<String> read(String node, String mode) {
        List<String> command = new ArrayList<>(List.of("nsenter", "--net=" + net.path(node), "--"));
        command.addAll(
                switch (mode) {
                    case "nftables" -> List.of("nft", "-s", "list", "table", "ip", "kube-proxy");
                    case "userspace" -> List.of("sh", "-c", "iptables-save; nft -s list table ip nodepath-portals");
                    default -> List.of("iptables-save");
                });
        Set<String> lines = new LinkedHashSet<>();
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
                collect(output, lines);
            }
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("node", node)
                    .addKeyValue("problem", e.getMessage())
                    .log("page.rules_not_read");
        }
        return lines;
    }

    /** Reads the rules of iptables-save with their table, or the lines of an nft chain or set with its name. */
    static void collect(BufferedReader output, Set<String> lines) throws IOException {
        String part = "";
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            String text = line.strip();
            if (line.startsWith("*")) {
                part = line.substring(1);
            } else if (text.startsWith("chain ") || text.startsWith("map ") || text.startsWith("set ")) {
                part = text.replace(" {", "");
            } else if (text.startsWith("-A ")) {
                lines.add(part + " " + text);
            } else if (!part.isEmpty() && line.startsWith("\t\t") && !text.equals("}")) {
                lines.add(
                        part + ": " + text.replaceFirst("^elements = \\{ ", "").replaceFirst("[, }]+$", ""));
            }
        }
    }
}
