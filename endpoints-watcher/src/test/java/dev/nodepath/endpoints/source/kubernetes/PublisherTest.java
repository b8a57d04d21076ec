package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.Service;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.linux.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The publisher's behaviour when a snapshot cannot be made or taken. */
@Timeout(900)
class PublisherTest {
    private static final NamespacedName NODE = new NamespacedName("", "n1");
    private static final NamespacedName WEB = new NamespacedName("default", "web");
    private static final NodeInfo INFO = new NodeInfo("n1", "", List.of(), List.of());

    private final AtomicInteger failures = new AtomicInteger();
    private final BlockingQueue<Published> published = new LinkedBlockingQueue<>();
    private final Publisher publisher = new Publisher(this::take, Duration.ZERO);
    private final ObjectSink<NodeInfo> nodes =
            publisher.require(node -> NODE, SnapshotTracker::put, (tracker, gone) -> tracker.removeNode("n1"));
    private final ObjectSink<Service> services =
            publisher.require(Service::name, SnapshotTracker::put, SnapshotTracker::removeService);
    private final Thread thread = new Thread(publisher, "publisher");

    private record Published(ServiceSnapshot snapshot, ChangeSet changed) {}

    private void take(ServiceSnapshot snapshot, ChangeSet changed) {
        if (failures.getAndDecrement() > 0) {
            throw new IllegalStateException("broken on purpose");
        }
        published.add(new Published(snapshot, changed));
    }

    private Published next() throws InterruptedException {
        Published next = published.poll(5, TimeUnit.MINUTES);
        assertThat(next).as("a snapshot").isNotNull();
        return java.util.Objects.requireNonNull(next);
    }

    @AfterEach
    void close() throws InterruptedException {
        publisher.close();
        thread.join();
    }

    @Test
    void publishesTheFirstSnapshotAgainThoughNothingHappens() throws Exception {
        failures.set(2);
        services.replace(Map.of());
        nodes.replace(Map.of());
        thread.start();
        assertThat(next().snapshot().nodes()).isEmpty();
    }

    @Test
    void publishesAChangeAgainThoughNothingElseHappens() throws Exception {
        services.replace(Map.of());
        nodes.replace(Map.of());
        thread.start();
        next();
        failures.set(2);
        nodes.put(NODE, List.of(INFO));
        Published retried = next();
        assertThat(retried.snapshot().nodes()).containsOnlyKeys("n1");
        assertThat(retried.changed().nodes()).isTrue();
    }

    @Test
    void asksForNothingAgainOnceItIsPublished() throws Exception {
        services.replace(Map.of());
        nodes.replace(Map.of(NODE, List.of(INFO)));
        thread.start();
        next();
        nodes.put(NODE, List.of(INFO));
        nodes.put(NODE, List.of());
        assertThat(next().snapshot().nodes()).isEmpty();
        assertThat(published).isEmpty();
    }

    /** Each try is a line of the log, so two lines lie a wait apart. */
    @Test
    void waitsBeforeItTriesASnapshotAgainThatCannotBeMade() throws Exception {
        try (LogCapture log = new LogCapture(Publisher.class)) {
            services.replace(Map.of());
            nodes.replace(Map.of());
            thread.start();
            next();
            long start = System.nanoTime();
            services.put(WEB, List.of(service(null)));
            awaitFailures(log, 2);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            assertThat(took).isGreaterThanOrEqualTo(Publisher.RETRY.minusMillis(1));

            services.put(WEB, List.of(service("http")));
            assertThat(next().snapshot().services()).hasSize(1);
        }
    }

    private static void awaitFailures(LogCapture log, int count) {
        Eventually.isTrue(
                count + " failures", () -> log.lines("source.publish_failed").size() >= count);
    }

    /** Without the name of its port no commit can take it. */
    @SuppressWarnings("NullAway")
    private static Service service(@Nullable String port) {
        ServicePortName name = new ServicePortName(WEB, port, Protocol.TCP);
        return new Service(WEB, List.of(new ServicePort(name, List.of(), 80, 0, List.of(), List.of())));
    }
}
