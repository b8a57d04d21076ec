package dev.nodepath.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Reads the machine's state before and after a run from {@code /proc} and {@code /sys}; missing values are left out.
 */
public final class MachineProbe {
    /** The time of watching the idle machine before a run. */
    private static final Duration WATCH = Duration.ofMillis(500);

    /** Fields of a line of {@code /proc/stat}, proc_stat(5). */
    private static final int IDLE = 3;

    private static final int IO_WAIT = 4;
    private static final int STEAL = 7;

    private final Path root;
    private final int cores;
    private double load = Double.NaN;
    private double others = Double.NaN;
    private long[] ticks = {};
    private double throttled = Double.NaN;
    private double heat = Double.NaN;

    /** A probe of this machine. */
    public MachineProbe() {
        this(Path.of("/"), Runtime.getRuntime().availableProcessors());
    }

    /**
     * A probe.
     *
     * @param root the folder of {@code proc} and {@code sys}
     * @param cores available to a run
     */
    MachineProbe(Path root, int cores) {
        this.root = root;
        this.cores = cores;
    }

    /**
     * Watches the machine before the run, for half a second.
     *
     * @param versions of the software in the run, by name
     */
    public Environment before(Map<String, String> versions) throws InterruptedException {
        load = number(first("proc/loadavg").split(" ", 2)[0]);
        long[] start = ticks();
        Thread.sleep(WATCH.toMillis());
        watched(start, ticks());
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("processor", field("proc/cpuinfo", "model name"));
        facts.put("cores", String.valueOf(cores));
        facts.put("memory", field("proc/meminfo", "MemTotal"));
        facts.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.putAll(versions);
        facts.put("congestion control", first("proc/sys/net/ipv4/tcp_congestion_control"));
        facts.put("mitigations", mitigations());
        return new Environment(facts, cores, during());
    }

    /** Starts to count disturbances of the run. */
    void watched(long[] before, long[] now) {
        long total = total(now) - total(before);
        others = total > 0 ? cores * (1 - (double) (idle(now) - idle(before)) / total) : Double.NaN;
        ticks = now;
        throttled = throttledSeconds();
        heat = throttledByHeat();
    }

    /** The disturbances of the run so far. */
    public Conditions during() {
        long[] now = ticks();
        long total = total(now) - total(ticks);
        double stolen = total > 0 && now.length > STEAL ? (double) (now[STEAL] - ticks[STEAL]) / total : 0;
        return new Conditions(load, others, stolen, throttledSeconds() - throttled, throttledByHeat() - heat);
    }

    /** The time of all cores by use, in ticks: user, nice, system, idle and so on; empty if it cannot be read. */
    long[] ticks() {
        String[] words = first("proc/stat").split(" +");
        if (words.length <= STEAL + 1) {
            return new long[0];
        }
        // User time already contains guests' time, which comes last.
        return Arrays.stream(words, 1, STEAL + 2).mapToLong(Long::parseLong).toArray();
    }

    private static long total(long[] ticks) {
        return Arrays.stream(ticks).sum();
    }

    private static long idle(long[] ticks) {
        return ticks.length > IO_WAIT ? ticks[IDLE] + ticks[IO_WAIT] : 0;
    }

    /** The time for which this process's control group, of version 1 or 2, was throttled. */
    private double throttledSeconds() {
        for (String line : lines("proc/self/cgroup")) {
            String[] entry = line.split(":", 3);
            if (entry.length < 3) {
                continue;
            }
            if (entry[1].isEmpty()) {
                double micros = value(lines("sys/fs/cgroup/" + strip(entry[2]) + "/cpu.stat"), "throttled_usec");
                if (!Double.isNaN(micros)) {
                    return micros / 1e6;
                }
            } else if (List.of(entry[1].split(",", -1)).contains("cpu")) {
                return value(lines("sys/fs/cgroup/cpu/" + strip(entry[2]) + "/cpu.stat"), "throttled_time") / 1e9;
            }
        }
        return Double.NaN;
    }

    private double throttledByHeat() {
        double events = Double.NaN;
        for (int core = 0; core < cores; core++) {
            String count = first("sys/devices/system/cpu/cpu" + core + "/thermal_throttle/core_throttle_count");
            if (!count.isEmpty()) {
                events = (Double.isNaN(events) ? 0 : events) + number(count);
            }
        }
        return events;
    }

    private String mitigations() {
        Map<String, String> active = new TreeMap<>();
        try (Stream<Path> files = Files.list(root.resolve("sys/devices/system/cpu/vulnerabilities"))) {
            for (Path file : files.toList()) {
                String state = Files.readString(file).strip();
                if (!state.equals("Not affected")) {
                    active.put(String.valueOf(file.getFileName()), state);
                }
            }
        } catch (IOException e) {
            return "unknown";
        }
        List<String> texts = new ArrayList<>();
        active.forEach((name, state) -> texts.add(name + ": " + state));
        return texts.isEmpty() ? "none needed" : String.join("; ", texts);
    }

    private static String strip(String path) {
        return path.startsWith("/") ? path.substring(1) : path;
    }

    private static double value(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> number(line.substring(name.length()).strip()))
                .findFirst()
                .orElse(Double.NaN);
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private String field(String file, String name) {
        return lines(file).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    private String first(String file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? "" : lines.get(0);
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(root.resolve(file));
        } catch (IOException e) {
            // Not every machine has every file; the fact is then unknown.
            return List.of();
        }
    }
}
