package dev.nodepath.bench.suite;

import dev.nodepath.agent.process.NodepathVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The versions of the software that every suite uses. Each suite adds the versions of its peers. */
public final class Versions {
    private static final Map<String, List<String>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("iptables", List.of("iptables", "--version"));
        COMMANDS.put("nftables", List.of("nft", "--version"));
    }

    private Versions() {}

    /** The first line of what each says of itself, by its name. */
    public static Map<String, String> ofThisMachine() throws InterruptedException {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("nodepath", NodepathVersion.version());
        for (Map.Entry<String, List<String>> command : COMMANDS.entrySet()) {
            versions.put(command.getKey(), firstLine(command.getValue()));
        }
        return versions;
    }

    /** The first line that a command prints. */
    private static String firstLine(List<String> command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return output.lines().findFirst().orElse("unknown");
        } catch (IOException e) {
            return "not there";
        }
    }
}
