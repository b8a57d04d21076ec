package dev.nodepath.bench.userspace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures userspace mode beside HAProxy and the direct path, all in one run. To be started inside the enclosure:
 * {@code scripts/enclose java -cp 'target/lib/*' dev.nodepath.bench.userspace.UserspaceBench [ROUNDS [SECONDS [PROXY
 * OPTION...]]]}; the figures are medians of the rounds. Needs wrk, nginx, haproxy and iperf3.
 */
public final class UserspaceBench {
    private static final int DEFAULT_ROUNDS = 5;
    private static final int DEFAULT_SECONDS = 3;

    /** Each takes two of the proxy's descriptors, of which a process may have 20,000 on the machine of the figures. */
    private static final int IDLE_CONNECTIONS = 9_000;

    private final Testbed testbed;
    private final int rounds;
    private final int seconds;
    private final Map<String, List<Double>> figures = new LinkedHashMap<>();

    private UserspaceBench(Testbed testbed, int rounds, int seconds) {
        this.testbed = testbed;
        this.rounds = rounds;
        this.seconds = seconds;
    }

    /** Runs all measures and prints the table. */
    public static void main(String[] args) throws IOException, InterruptedException {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : DEFAULT_ROUNDS;
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : DEFAULT_SECONDS;
        List<String> options = args.length > 2 ? List.of(args).subList(2, args.length) : List.of();
        try (Testbed testbed = new Testbed(Path.of("").toAbsolutePath(), options)) {
            new UserspaceBench(testbed, rounds, seconds).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        warmUp();
        for (int round = 0; round < rounds; round++) {
            for (Testbed.Peer peer : Testbed.Peer.values()) {
                measureHttp(peer, "requests", List.of());
            }
            for (Testbed.Peer peer : Testbed.Peer.values()) {
                measureHttp(peer, "new connections", List.of("-H", "Connection: close"));
            }
            for (Testbed.Peer peer : Testbed.Peer.values()) {
                add("bulk", peer, "Gb/s", testbed.bulkGbits(peer, seconds));
            }
            for (Testbed.Peer peer : List.of(Testbed.Peer.DIRECT, Testbed.Peer.RELAY)) {
                add("udp echo", peer, "packets/s", testbed.udpEchoesPerSecond(peer, seconds));
            }
        }
        print();
        System.out.printf(
                Locale.ROOT,
                "memory of an idle connection: %.1f KB (%d connections)%n",
                testbed.idleConnectionKilobytes(IDLE_CONNECTIONS),
                IDLE_CONNECTIONS);
    }

    private void warmUp() throws IOException, InterruptedException {
        testbed.http(Testbed.Peer.RELAY, 2 * seconds, List.of());
        testbed.http(Testbed.Peer.RELAY, 2 * seconds, List.of("-H", "Connection: close"));
        testbed.http(Testbed.Peer.RELAY, seconds, List.of());
    }

    private void measureHttp(Testbed.Peer peer, String measure, List<String> options)
            throws IOException, InterruptedException {
        double cpuBefore = testbed.cpuSeconds(peer);
        HttpFigures http = testbed.http(peer, seconds, options);
        add(measure, peer, "1/s", http.perSecond());
        add(measure, peer, "p99 ms", http.p99Millis());
        add(measure, peer, "CPU us", (testbed.cpuSeconds(peer) - cpuBefore) * 1e6 / Math.max(1, http.requests()));
    }

    private void add(String measure, Testbed.Peer peer, String unit, double value) {
        figures.computeIfAbsent(measure + "|" + unit + "|" + peer, key -> new ArrayList<>())
                .add(value);
    }

    private void print() {
        figures.keySet().stream()
                .map(key -> key.substring(0, key.lastIndexOf('|')))
                .distinct()
                .forEach(this::printRow);
    }

    private void printRow(String measure) {
        StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-26s", measure.replace('|', ' ')));
        double direct = median(measure, Testbed.Peer.DIRECT);
        for (Testbed.Peer peer : Testbed.Peer.values()) {
            double value = median(measure, peer);
            if (Double.isNaN(value)) {
                continue;
            }
            row.append(String.format(Locale.ROOT, "%s %,.2f", peer, value));
            row.append(direct > 0 ? String.format(Locale.ROOT, " (%.2f)   ", value / direct) : "   ");
        }
        System.out.println(row);
    }

    private double median(String measure, Testbed.Peer peer) {
        List<Double> sorted = figures.getOrDefault(measure + "|" + peer, List.of(Double.NaN)).stream()
                .sorted()
                .toList();
        return sorted.get(sorted.size() / 2);
    }
}
