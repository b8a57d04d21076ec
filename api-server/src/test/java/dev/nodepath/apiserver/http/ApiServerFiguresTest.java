package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.stream.PodStreams;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Memory and speed with 10 000 Pods and 50 watches. */
@Tag("figures")
class ApiServerFiguresTest {
    private static final int PODS = 10_000;
    private static final int WATCHES = 50;
    private static final int CLIENTS = 4;
    private static final String POD = "{'metadata':{'name':'web-%d','labels':{'app':'web','pod-template-hash':'abc'}},"
            + "'spec':{'containers':[{'name':'c','image':'nginx','ports':[{'containerPort':80}],"
            + "'env':[{'name':'A','value':'1'}],'readinessProbe':{'httpGet':{'path':'/','port':80}}}]}}";

    @Test
    void holdsManyObjectsForManyWatches() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<InputStream> watches = new ArrayList<>();
        try (TestCluster cluster = TestCluster.withRules(PodStreams.NONE)) {
            String path = "/api/v1/namespaces/default/pods";
            AtomicLong seen = new AtomicLong();
            for (int i = 0; i < WATCHES; i++) {
                InputStream lines = cluster.watch("/api/v1/pods?watch=1");
                watches.add(lines);
                threads.execute(() -> count(lines, seen));
            }
            long before = used();
            long start = System.nanoTime();
            List<Future<?>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                int first = client;
                clients.add(threads.submit(() -> {
                    for (int i = first; i < PODS; i += CLIENTS) {
                        assertThat(cluster.send("POST", path, POD.formatted(i)).statusCode())
                                .isEqualTo(201);
                    }
                    return true;
                }));
            }
            for (Future<?> client : clients) {
                client.get();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            while (seen.get() < (long) PODS * WATCHES) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
            double all = (System.nanoTime() - start) / 1e9;
            long after = used();
            long listed = System.nanoTime();
            int octets = cluster.get("/api/v1/pods").body().length();
            System.out.printf(
                    "creates/s %.0f, all %d watches told after %.1f s, heap %d MB before, %d MB more after, list of %d MB"
                            + " in %d ms%n",
                    PODS / seconds,
                    WATCHES,
                    all,
                    before >> 20,
                    (after - before) >> 20,
                    octets >> 20,
                    (System.nanoTime() - listed) / 1_000_000);
            assertThat(after - before).isLessThan(150L << 20);
        } finally {
            for (InputStream each : watches) {
                each.close();
            }
            threads.shutdownNow();
        }
    }

    private static void count(InputStream lines, AtomicLong seen) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(lines, StandardCharsets.UTF_8))) {
            while (reader.readLine() != null) {
                seen.incrementAndGet();
            }
        } catch (IOException e) {
            // the server ends before its watches do
        }
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
