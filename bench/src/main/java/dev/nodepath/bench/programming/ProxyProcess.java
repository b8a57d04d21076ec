package dev.nodepath.bench.programming;

import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.BenchApiServer;
import dev.nodepath.bench.testbed.Command;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.LinuxNet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A proxy that starts on a node without rules and follows an API server. Its rules are in force once a client gets an
 * answer through them. So every proxy is judged alike, whatever it reports.
 *
 * @param startMillis from the start of the process until its rules are in force
 * @param endpointMillis from a changed slice until the endpoint in it answers
 * @param restartMillis from the start of the next process, with the rules of the first still there, until it has
 *     followed a change that was made between the two
 * @param residentBytes of the process after its start, its commands not counted
 */
record ProxyProcess(double startMillis, double endpointMillis, double restartMillis, long residentBytes) {
    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(2);
    private static final Duration ASK_MAX = Duration.ofSeconds(1);
    /** The resolution of the measurement. */
    static final int POLL_MILLIS = 5;
    /**
     * By default there is a second between two syncs, so a change just after the first would wait for that. The JVM gives back what
     * the first has used in the meantime.
     */
    private static final int SETTLE_MILLIS = 1500;

    private static final List<ApiObject.Port> PORTS =
            List.of(new ApiObject.Port("http", "TCP", 80, ContenderNode.HTTP));
    private static final String NOBODY = "10.255.0.1";
    private static final String FIRST = "10.98.0.1";
    private static final String CHANGED = "10.98.0.2";
    private static final String ADDED = "10.98.0.3";
    /** An address that refuses clients until a rule forwards them to a server. */
    private static final List<String> REFUSED = List.of("10.98.0.0/24", NOBODY);

    private static final Duration ROUTE_MAX = Duration.ofSeconds(10);

    static ProxyProcess measure(LinuxNet net, Contender contender, Programs programs, int services)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(Path.of("/run"), "bench-p-");
        try (ContenderNode lane = new ContenderNode(net, "p", folder);
                BenchApiServer server = new BenchApiServer(lane.node())) {
            lane.startServers();
            refuse(lane);
            fill(server, services);
            long start = System.nanoTime();
            Process first = contender.start(lane, programs, server.url()).orElseThrow();
            double started = millisUntilAnswered(lane, contender, first, FIRST, start);
            TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
            long resident = ProcessUsage.of(List.of(first)).residentBytes();
            long changed = System.nanoTime();
            server.put(ApiObject.slice("web-2", List.of(ContenderNode.SERVER), List.of(), PORTS));
            double endpoint = millisUntilAnswered(lane, contender, first, CHANGED, changed);
            lane.end(first);
            put(server, "web-3", ADDED, ContenderNode.SERVER);
            long again = System.nanoTime();
            Process next = contender.start(lane, programs, server.url()).orElseThrow();
            double restarted = millisUntilAnswered(lane, contender, next, ADDED, again);
            return new ProxyProcess(started, endpoint, restarted, resident);
        }
    }

    /**
     * Assigns these addresses to the node, which has no such port open and resets each connection at once. Without a
     * route the node would answer with ICMP. The kernel limits ICMP to about one message a second, and the client would
     * wait. A rule of a Service changes the destination before the route lookup, so it still applies.
     */
    private static void refuse(ContenderNode lane) throws IOException, InterruptedException {
        for (String network : REFUSED) {
            Command.output(lane.onNode(List.of("ip", "route", "add", "local", network, "dev", "lo")), ROUTE_MAX);
        }
    }

    private static double millisUntilAnswered(
            ContenderNode lane, Contender contender, Process process, String address, long start)
            throws IOException, InterruptedException {
        InetSocketAddress target = ContenderAddress.at(address, 80);
        while (lane.client().call(() -> Greeting.ask(target, ASK_MAX)).outcome() != Greeting.Outcome.ANSWERED) {
            boolean ended = !process.isAlive();
            if (ended || System.nanoTime() - start > NANOS_MAX) {
                throw new IOException(contender
                        + (ended ? ": ended: " : ": no answer at " + address + ": ")
                        + lane.log(contender.toString()));
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return (System.nanoTime() - start) / 1e6;
    }

    /** The probed Services sort after all others, so their rules come last. */
    private static void fill(BenchApiServer server, int services) {
        server.put(ApiObject.node(ContenderNode.NODE_NAME, ContenderNode.NODE));
        for (int i = 0; i < services; i++) {
            List<String> pods = new ArrayList<>();
            for (int j = 0; j < ProgrammingSizes.ENDPOINTS; j++) {
                int pod = i * ProgrammingSizes.ENDPOINTS + j;
                pods.add("10." + (128 + (pod >> 16)) + "." + (pod >> 8 & 255) + "." + (pod & 255));
            }
            server.put(ApiObject.service("service-" + i, "10.97." + (i >> 8) + "." + (i & 255), PORTS));
            server.put(ApiObject.slice("service-" + i, pods, List.of(), PORTS));
        }
        put(server, "web-1", FIRST, ContenderNode.SERVER);
        put(server, "web-2", CHANGED, NOBODY);
    }

    private static void put(BenchApiServer server, String name, String address, String pod) {
        server.put(ApiObject.service(name, address, PORTS));
        server.put(ApiObject.slice(name, List.of(pod), List.of(), PORTS));
    }
}
