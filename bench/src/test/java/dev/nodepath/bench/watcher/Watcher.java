package dev.nodepath.bench.watcher;

import com.sun.management.OperatingSystemMXBean;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.kubernetes.ApiServerAccess;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.source.kubernetes.WatchLimits;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A process that only watches: prints the cost of its list, its memory, and each published change. Ends with its
 * input.
 */
public final class Watcher {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** A change as it was published: {@link System#nanoTime}, which processes of one machine share, and the version. */
    private record Seen(long nanos, ServicePortName name, int port) {}

    private Watcher() {}

    /** Takes the server's URL. */
    public static void main(String[] args) throws Exception {
        long before = usedBytes();
        BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
        BlockingQueue<ServiceSnapshot> first = new LinkedBlockingQueue<>();
        try (KubernetesSource source = new KubernetesSource(
                ApiServerAccess.master(args[0]),
                "node-0",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                WatchLimits.DEFAULT,
                new Random(),
                InstantSource.system())) {
            long start = System.nanoTime();
            source.start((snapshot, changed) -> {
                long now = System.nanoTime();
                if (first.isEmpty()) {
                    first.add(snapshot);
                    return;
                }
                for (ServicePortName name : changed.servicePorts()) {
                    List<Endpoint> endpoints = snapshot.endpoints().getOrDefault(name, List.of());
                    seen.add(new Seen(
                            now,
                            name,
                            endpoints.isEmpty() ? 0 : endpoints.get(0).port()));
                }
            });
            while (first.isEmpty()) {
                Thread.onSpinWait();
                Thread.sleep(1);
            }
            print("first_list_ms", (System.nanoTime() - start) / 1_000_000);
            print("first_list_cpu_ms", SYSTEM.getProcessCpuTime() / 1_000_000);
            print("services", source.snapshot().services().size());
            first.remove();
            first.add(ServiceSnapshot.EMPTY);
            print("kept_bytes", usedBytes() - before);
            print("ready", 1);
            follow(seen);
        }
    }

    /** Prints the changes since the last line of input, and the processor time, at each line. */
    private static void follow(BlockingQueue<Seen> seen) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (lines.readLine() != null) {
            StringBuilder text = new StringBuilder();
            for (Seen one = seen.poll(); one != null; one = seen.poll()) {
                text.append("seen ")
                        .append(one.nanos())
                        .append(' ')
                        .append(one.name().service().name())
                        .append(' ')
                        .append(one.port())
                        .append('\n');
            }
            System.out.print(text);
            print("cpu_nanos", SYSTEM.getProcessCpuTime());
        }
    }

    private static void print(String name, long value) {
        System.out.println(name + " " + value);
    }

    private static long usedBytes() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(50);
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}
