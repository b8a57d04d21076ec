package dev.nodepath.bench.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures the watcher in a process of its own, bound to one core, against a server in this process. Prints the
 * figures and checks only those that are no times. docs/bench.md tells how to run it.
 */
@Tag("figures")
class WatcherFiguresTest {
    private static final int WARM_UP = 1000;

    /**
     * How long changes took, shortest first: since the server was given them, and since their bytes had been written.
     */
    private record Times(List<Long> sincePut, List<Long> sinceSent) {
        static String micros(List<Long> nanos) {
            int count = nanos.size();
            return "p50_us=%d p90_us=%d p99_us=%d max_us=%d"
                    .formatted(
                            nanos.get(count / 2) / 1000,
                            nanos.get(count * 9 / 10) / 1000,
                            nanos.get(count * 99 / 100) / 1000,
                            nanos.get(count - 1) / 1000);
        }
    }

    @Test
    void heapAndFirstList() throws Exception {
        for (int endpoints : new int[] {10, 100}) {
            try (TestApiServer server = new TestApiServer()) {
                WatchedCluster.fill(server, 10_000, endpoints);
                // The first one also starts the server's compiler.
                new WatcherProcess(server.url()).close();
                try (WatcherProcess watcher = new WatcherProcess(server.url())) {
                    assertThat(watcher.value("services")).isEqualTo(10_000);
                    System.out.printf(
                            "10000 services x %d endpoints: first_list_ms=%d cpu_ms=%d kept_mb=%.1f%n",
                            endpoints,
                            watcher.value("first_list_ms"),
                            watcher.value("first_list_cpu_ms"),
                            watcher.value("kept_bytes") / 1e6);
                }
            }
        }
    }

    @Test
    void oneChangeAmongMany() throws Exception {
        for (int services : new int[] {100, 10_000, 100, 10_000}) {
            try (TestApiServer server = new TestApiServer()) {
                WatchedCluster.fill(server, services, 10);
                try (WatcherProcess watcher = new WatcherProcess(server.url())) {
                    changes(server, watcher, services, WARM_UP, 500);
                    Times times = changes(server, watcher, services, 2000, 500);
                    System.out.printf(
                            "one change among %d services, since put: %s; since sent: %s%n",
                            services, Times.micros(times.sincePut()), Times.micros(times.sinceSent()));
                }
            }
        }
    }

    @Test
    void aThousandChangesASecond() throws Exception {
        try (TestApiServer server = new TestApiServer()) {
            WatchedCluster.fill(server, 10_000, 10);
            try (WatcherProcess watcher = new WatcherProcess(server.url())) {
                changes(server, watcher, 10_000, WARM_UP, 1000);
                long cpu = watcher.value("cpu_nanos");
                long start = System.nanoTime();
                Times times = changes(server, watcher, 10_000, 10_000, 1000);
                double seconds = (System.nanoTime() - start) / 1e9;
                System.out.printf(
                        "%.0f changes/s for %.1f s: cpu=%.2f cores, since put: %s%n",
                        times.sincePut().size() / seconds,
                        seconds,
                        (watcher.value("cpu_nanos") - cpu) / 1e9 / seconds,
                        Times.micros(times.sincePut()));
            }
        }
    }

    /** Makes this many changes at a rate, one after the other. Returns how long each took until it was published. */
    private static Times changes(TestApiServer server, WatcherProcess watcher, int services, int count, int perSecond)
            throws Exception {
        Random random = new Random(1);
        Map<Integer, Integer> last = new TreeMap<>();
        int[] slices = new int[count];
        long[] put = new long[count];
        long[] versions = new long[count];
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            slices[i] = random.nextInt(services);
            String json = WatchedCluster.slice(slices[i], 10, watcher.nextVersion());
            long due = start + i * 1_000_000_000L / perSecond;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            put[i] = System.nanoTime();
            server.put(TestApiServer.SLICES, json);
            versions[i] = server.version();
            last.put(slices[i], watcher.version());
        }
        WatcherProcess.Seen seen = watcher.seenUntil(last);
        List<Long> sincePut = new ArrayList<>();
        List<Long> sinceSent = new ArrayList<>();
        int first = watcher.version() - count + 1;
        for (int i = 0; i < count; i++) {
            // A change is in the first snapshot that has it or a later one of the same slice.
            long when = seen.whenAtLeast(slices[i], first + i);
            sincePut.add(when - put[i]);
            server.sentNanos(versions[i]).ifPresent(sent -> sinceSent.add(when - sent));
        }
        Collections.sort(sincePut);
        Collections.sort(sinceSent);
        return new Times(sincePut, sinceSent);
    }
}
