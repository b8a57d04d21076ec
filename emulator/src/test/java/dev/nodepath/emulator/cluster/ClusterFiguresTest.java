package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.enclosure.BuiltJava;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Prints the costs of names and changes in a running cluster; docs/bench.md tells how to run it. */
@Tag("figures")
@Timeout(900)
class ClusterFiguresTest {
    /** A file system of the enclosure's own, which the tests run in. */
    private static final Path RUN = Path.of("/run/nodepath");

    private static final int QUERIES = 200_000;
    private static final int UNDER_WAY = 64;
    private static final int CHANGES = 31;
    /** Longer than an agent lets pass between two syncs ({@code --min-sync-period}); within it, changes go together. */
    private static final long APART_MILLIS = 1500;

    private static final int PORT = 8080;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(ProxyMode.class)
    void namesThroughTheServiceAndReadinessInTheRules(ProxyMode mode) throws Exception {
        Topology twoNodes = TopologyReader.read(
                ComesWithNodepath.TWO_NODES.write(folder),
                ComesWithNodepath.DNS_SERVICE.write(folder),
                ComesWithNodepath.DNS_SERVERS.write(folder));
        try (Cluster cluster =
                Cluster.start(twoNodes, new KernelLinuxNet(), BuiltJava.command(), RUN, Optional.of(mode))) {
            cluster.awaitReady();
            cluster.awaitProgrammed(cluster.lastTrigger());
            double rate = cluster.podNetwork("client-1").call(ClusterFiguresTest::ask);
            System.out.printf(
                    "%s: %,.0f DNS queries/s of one pod through the Service kube-dns, %d under way%n",
                    mode, rate, UNDER_WAY);
            assertThat(rate).isGreaterThan(10_000);
            if (mode != ProxyMode.USERSPACE) { // its rules do not change with an endpoint
                printReadiness(cluster, mode);
            }
        }
    }

    /** Keeps some queries under way from one socket, and counts responses. */
    private static double ask() throws IOException {
        byte[] query = query("web.default.svc.cluster.local");
        InetSocketAddress service = new InetSocketAddress("10.96.0.10", 53);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(service);
            socket.setSoTimeout(1000);
            DatagramPacket sent = new DatagramPacket(query, query.length, service);
            DatagramPacket received = new DatagramPacket(new byte[512], 512);
            int underWay = 0;
            int answered = 0;
            long start = System.nanoTime();
            while (answered < QUERIES) {
                for (; underWay < UNDER_WAY; underWay++) {
                    socket.send(sent);
                }
                try {
                    socket.receive(received);
                    answered++;
                    underWay--;
                } catch (SocketTimeoutException e) {
                    underWay = 0;
                }
            }
            return answered * 1e9 / (System.nanoTime() - start);
        }
    }

    /** A question for an address (RFC 1035, section 4.1). */
    private static byte[] query(String name) {
        ByteArrayOutputStream query = new ByteArrayOutputStream();
        query.writeBytes(new byte[] {0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (String label : name.split("\\.", -1)) {
            query.write(label.length());
            query.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        query.writeBytes(new byte[] {0, 0, 1, 0, 1});
        return query.toByteArray();
    }

    /**
     * From just before a pod is told to be unready, or ready, to the kernel's notice that a node's rules have changed.
     */
    private static void printReadiness(Cluster cluster, ProxyMode mode) throws Exception {
        NetworkNamespace node = cluster.node("n1");
        Process monitor = node.call(() -> new ProcessBuilder("nft", "monitor").start());
        try {
            BlockingQueue<Long> seen = notices(monitor);
            InetAddress pod = cluster.pod("web-3").address().toInetAddress();
            List<Double> millis = new ArrayList<>();
            for (int change = 0; change < CHANGES; change++) {
                boolean ready = change % 2 == 1;
                awaitQuiet(seen);
                long start = System.nanoTime();
                node.call(() -> post(pod, ready ? "/ready" : "/unready"));
                Long noticed = seen.poll(5, TimeUnit.MINUTES);
                assertThat(noticed).as("a change of the rules of n1").isNotNull();
                millis.add((noticed - start) / 1e6);
            }
            double[] sorted =
                    millis.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            System.out.printf(
                    "%s: readiness to rules p50 %.1f ms, p90 %.1f ms, worst %.1f ms of %d%n",
                    mode, sorted[CHANGES / 2], sorted[CHANGES * 9 / 10], sorted[CHANGES - 1], CHANGES);
        } finally {
            monitor.destroy();
        }
    }

    /** When each of its lines came. The thread ends with the process. */
    private static BlockingQueue<Long> notices(Process monitor) {
        BlockingQueue<Long> seen = new LinkedBlockingQueue<>();
        Thread reader = new Thread(
                () -> monitor.inputReader(StandardCharsets.UTF_8).lines().forEach(line -> seen.add(System.nanoTime())));
        reader.setDaemon(true);
        reader.start();
        return seen;
    }

    /** A change makes several notices. */
    private static void awaitQuiet(BlockingQueue<Long> seen) throws InterruptedException {
        while (seen.poll(APART_MILLIS, TimeUnit.MILLISECONDS) != null) {
            seen.clear();
        }
    }

    private static int post(InetAddress pod, String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create("http://" + pod.getHostAddress() + ":" + PORT + path)
                        .toURL()
                        .openConnection(Proxy.NO_PROXY);
        connection.setRequestMethod("POST");
        return connection.getResponseCode();
    }
}
