package dev.nodepath.emulator.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The machine and the software of a run, as facts by name.
 *
 * @param facts in the order they are shown
 * @param loadAtStart the one-minute load average before the run
 */
public record Environment(Map<String, String> facts, double loadAtStart) {
    /** Copies the facts and keeps their order. */
    public Environment {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    }

    /**
     * Looks at this machine.
     *
     * @param iptablesVersion what {@code iptables --version} says
     */
    public static Environment detect(String iptablesVersion) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("processor", field("/proc/cpuinfo", "model name"));
        facts.put("cores", String.valueOf(Runtime.getRuntime().availableProcessors()));
        facts.put("memory", field("/proc/meminfo", "MemTotal"));
        facts.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.put("iptables", iptablesVersion);
        return new Environment(facts, loadAverage());
    }

    private static double loadAverage() {
        List<String> lines = lines("/proc/loadavg");
        return lines.isEmpty() ? Double.NaN : Double.parseDouble(lines.get(0).split(" ", 2)[0]);
    }

    private static String field(String file, String name) {
        return lines(file).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            // A machine without this file still gets a report; the fact then reads "unknown".
            return List.of();
        }
    }
}
