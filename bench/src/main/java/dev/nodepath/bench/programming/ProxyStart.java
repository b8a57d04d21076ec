package dev.nodepath.bench.programming;

import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.ApiServer;
import dev.nodepath.bench.testbed.Lane;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.linux.LinuxNet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A {@code nodepath proxy --mode iptables} that starts on a node without rules and follows an API server.
 *
 * @param millis from the start of the process until it says that the rules are in force
 * @param residentBytes of the process afterwards, its commands not counted
 */
record ProxyStart(double millis, long residentBytes) {
    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(2);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** The JVM gives back what the first sync has used when it collects next; a process that only waits does not. */
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String LOG = "proxy";
    private static final List<ApiObject.Port> PORTS = List.of(new ApiObject.Port("http", "TCP", 80, 8080));

    static ProxyStart measure(LinuxNet net, Programs programs, int services) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(Path.of("/run"), "bench-p-");
        try (Lane lane = new Lane(net, "p", folder);
                ApiServer server = new ApiServer(lane.node())) {
            fill(server, services);
            List<String> command = new ArrayList<>(programs.nodepath());
            command.addAll(List.of(
                    "proxy", "--mode", "iptables", "--master", server.url(), "--hostname-override", Lane.NODE_NAME));
            long start = System.nanoTime();
            Process process = lane.startOnNode(command, LOG);
            while (!lane.hasLogged(LOG, "proxy.synced")) {
                if (!process.isAlive() || System.nanoTime() - start > NANOS_MAX) {
                    throw new IOException("proxy: no sync: " + lane.log(LOG));
                }
                pause(POLL_NANOS);
            }
            double millis = (System.nanoTime() - start) / 1e6;
            pause(SETTLE_NANOS);
            return new ProxyStart(millis, ProcessUsage.of(List.of(process)).residentBytes());
        }
    }

    private static void fill(ApiServer server, int services) {
        server.put(ApiObject.node(Lane.NODE_NAME, Lane.NODE));
        for (int i = 0; i < services; i++) {
            List<String> pods = new ArrayList<>();
            for (int j = 0; j < Cluster.ENDPOINTS; j++) {
                int pod = i * Cluster.ENDPOINTS + j;
                pods.add("10." + (128 + (pod >> 16)) + "." + (pod >> 8 & 255) + "." + (pod & 255));
            }
            server.put(ApiObject.service("service-" + i, "10.97." + (i >> 8) + "." + (i & 255), PORTS));
            server.put(ApiObject.slice("service-" + i, pods, List.of(), PORTS));
        }
    }

    private static void pause(long nanos) throws InterruptedException {
        LockSupport.parkNanos(nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
