package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SERVICES;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SLICES;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ten minutes without a server, with the waits of production. */
class KubernetesSourceOutageTest extends KubernetesSourceFixture {
    private static final int REFLECTORS = 3;

    private final ManualWatchTime time = new ManualWatchTime();
    private final long seed = System.nanoTime();

    @Test
    void asksSeldomForTenMinutesAndIsEqualAfterwards() throws Exception {
        cluster();
        server.put(SERVICES, service("gone", "10.96.0.12"));
        try (KubernetesSource source = start()) {
            awaitWatches(REFLECTORS);
            server.stop();
            letPass(Duration.ofMinutes(10));
            assertThat(shown(source)).isEqualTo("{default/gone:http=[], default/web:http=[10.244.0.2:8080]}");
            time.waits().forEach(this::assertBoundedAndJittered);

            server.delete(SERVICES, "default", "gone");
            server.put(SERVICES, service("new", "10.96.0.13"));
            server.put(SLICES, slice("web", "10.244.0.3"));
            server.compact();
            server.clearRequests();
            server.start();
            awaitFor("seed " + seed, () -> {
                time.advance(1);
                return shown(source).equals("{default/new:http=[], default/web:http=[10.244.0.3:8080]}");
            });
            // Their versions are too old now, so each kind is listed; but once, and not two at a time.
            awaitFor("seed " + seed, () -> {
                time.advance(1);
                return log.lines("source.reconnected").size() == REFLECTORS || lists().size() == REFLECTORS;
            });
            assertThat(lists()).as("seed %s", seed).hasSizeLessThanOrEqualTo(REFLECTORS);
            assertThat(server.listsAtOnce()).isEqualTo(1);
        }
    }

    private KubernetesSource start() throws Exception {
        KubernetesSource source = new KubernetesSource(
                ApiServerAccess.master(server.url()),
                "n1",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                WatchLimits.DEFAULT,
                new Random(seed),
                InstantSource.system(),
                time);
        source.start((snapshot, changed) -> snapshots.add(snapshot));
        return source;
    }

    private void letPass(Duration outage) {
        long end = time.nanos() + outage.toNanos();
        while (time.nanos() < end) {
            awaitFor("seed " + seed, () -> time.advance(REFLECTORS));
        }
        awaitFor("seed " + seed, () -> time.waiting() == REFLECTORS);
    }

    private void assertBoundedAndJittered(String thread, List<Duration> waits) {
        // 0.8 s doubled five times is 25 s, then 30 s; each less up to a half.
        assertThat(waits).as("%s, seed %s", thread, seed).hasSizeBetween(20, 50);
        Duration max = WatchLimits.DEFAULT.retry().max();
        List<Duration> later = waits.subList(8, waits.size());
        assertThat(waits).as("%s, seed %s", thread, seed).allMatch(wait -> wait.compareTo(max) <= 0);
        assertThat(later).as("%s, seed %s", thread, seed).allMatch(wait -> wait.compareTo(max.dividedBy(2)) >= 0);
        assertThat(new HashSet<>(later)).as("%s, seed %s", thread, seed).hasSameSizeAs(later);
    }
}
