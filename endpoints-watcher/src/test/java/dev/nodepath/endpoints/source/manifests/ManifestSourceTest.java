package dev.nodepath.endpoints.source.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.source.SourceStats;
import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The source with real files and its own thread. */
class ManifestSourceTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Instant TRIGGER = Instant.parse("2026-01-02T03:04:05.678901234Z");
    private static final String SERVICE =
            "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterIP: 10.96.0.10, ports: [{port: 80}]}}\n";
    private static final ServicePortName WEB = Snapshots.portName("default/web");

    @TempDir
    Path folder;

    private final LogCapture log = new LogCapture(ManifestSource.class);
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    private record Event(ServiceSnapshot snapshot, ChangeSet changed) {}

    @AfterEach
    void stopLogging() {
        log.close();
    }

    @Test
    void followsFilesThatAppearAreReplacedAndVanish() throws Exception {
        write("service.yaml", SERVICE);
        try (ManifestSource source = start()) {
            assertThat(next().changed.servicePorts()).containsExactly(WEB);

            replace("slice.yaml", slice("10.244.0.2"));
            Event event = next();
            assertThat(event.changed.lastTrigger()).contains(TRIGGER);
            assertThat(event.snapshot)
                    .isEqualTo(Snapshots.service("default/web", "10.96.0.10", 80)
                            .endpoint("10.244.0.2:8080", "n1")
                            .build());
            assertThat(source.snapshot()).isSameAs(event.snapshot);

            replace("slice.yaml", slice("10.244.0.3"));
            assertThat(endpoints(next().snapshot)).isEqualTo("[10.244.0.3:8080]");
            write("slice.yaml", slice("10.244.0.4"));
            String written = endpoints(next().snapshot);
            if (written.equals("[]")) {
                // A file that is written in place is empty at first, and may be seen so.
                written = endpoints(next().snapshot);
            }
            assertThat(written).isEqualTo("[10.244.0.4:8080]");
            Files.delete(folder.resolve("slice.yaml"));
            assertThat(next().snapshot.endpoints()).isEmpty();
            Files.delete(folder.resolve("service.yaml"));
            assertThat(next().snapshot).isEqualTo(ServiceSnapshot.EMPTY);
        }
        assertThat(events).isEmpty();
    }

    @Test
    void theFirstSnapshotComesEvenIfThereIsNothing() throws Exception {
        try (ManifestSource source = start()) {
            assertThat(next()).isEqualTo(new Event(ServiceSnapshot.EMPTY, ChangeSet.NONE));
            assertThat(source.snapshot()).isEqualTo(ServiceSnapshot.EMPTY);
        }
    }

    @Test
    void aManifestThatBreaksKeepsItsLastGoodVersionUntilItIsMended() throws Exception {
        write("service.yaml", SERVICE);
        write("slice.yaml", slice("10.244.0.2"));
        try (ManifestSource source = start()) {
            next();
            replace("slice.yaml", slice("10.244.0.9").replace("endpoints", "]"));
            Eventually.isTrue(
                    "the condition", () -> !log.lines("manifest.rejected").isEmpty());
            replace("other.yaml", SERVICE.replace("web", "other"));
            assertThat(endpoints(next().snapshot)).isEqualTo("[10.244.0.2:8080]");

            replace("slice.yaml", slice("10.244.0.7"));
            assertThat(endpoints(next().snapshot)).isEqualTo("[10.244.0.7:8080]");
            Eventually.isTrue(
                    "the condition", () -> log.lines("manifest.accepted").size() == 1);
            assertThat(log.lines("manifest.rejected"))
                    .singleElement()
                    .asString()
                    .startsWith("file=" + folder.resolve("slice.yaml") + " reason=line 6, column 17: ");
            assertThat(source.snapshot().services()).hasSize(2);
        }
    }

    @Test
    void aBadEntryIsLeftOutAndTheRestOfItsFileIsUsed() throws Exception {
        write("service.yaml", SERVICE.replace("[{port: 80}]", "[{port: 80}, {name: b, port: 70000}]"));
        try (ManifestSource source = start()) {
            assertThat(next().snapshot.services().keySet()).containsExactly(WEB);
            replace("slice.yaml", slice("10.244.0.2").replace("[{addresses", "[{addresses: [10.244.0]}, {addresses"));
            assertThat(endpoints(next().snapshot)).isEqualTo("[10.244.0.2:8080]");
            assertThat(source.stats().skipped())
                    .containsExactly(
                            new SourceStats.Skipped("EndpointSlice", "endpoints.addresses", 1),
                            new SourceStats.Skipped("Service", "spec.ports.port", 1));
        }
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void aFileThatIsWrittenByHalvesIsUsedWhenItIsWhole() throws Exception {
        write("service.yaml", SERVICE);
        write("slice.yaml", slice("10.244.0.2"));
        try (ManifestSource source = start()) {
            next();
            String text = slice("10.244.0.3");
            // What is written in place is empty at first, which would be as good as whole.
            replace("slice.yaml", text.substring(0, text.length() / 2));
            Eventually.isTrue(
                    "the condition", () -> !log.lines("manifest.rejected").isEmpty());
            assertThat(endpoints(source.snapshot())).isEqualTo("[10.244.0.2:8080]");
            replace("slice.yaml", text);
            assertThat(endpoints(next().snapshot)).isEqualTo("[10.244.0.3:8080]");
        }
    }

    @Test
    void quickWritesCoalesce() throws Exception {
        int writes = 200;
        write("service.yaml", SERVICE);
        try (ManifestSource source = start()) {
            next();
            for (int i = 1; i <= writes; i++) {
                replace("slice.yaml", slice("10.244.0." + i));
            }
            Eventually.isTrue(
                    "the condition", () -> endpoints(source.snapshot()).equals("[10.244.0." + writes + ":8080]"));
        }
        assertThat(events).hasSizeLessThan(writes / 2);
    }

    @Test
    void followsASingleFileAndNothingBesideIt() throws Exception {
        Path file = write("service.yaml", SERVICE);
        try (ManifestSource source = new ManifestSource(List.of(file), Clock.systemUTC())) {
            source.start((snapshot, changed) -> events.add(new Event(snapshot, changed)));
            next();
            write("broken.yaml", "{");
            replace("service.yaml", SERVICE.replace("10.96.0.10", "10.96.0.11"));
            assertThat(next().snapshot)
                    .isEqualTo(
                            Snapshots.service("default/web", "10.96.0.11", 80).build());
        }
        assertThat(log.lines()).isEmpty();
    }

    /** A folder that is replaced as a whole is another one for inotify; the poll finds it. */
    @Test
    void findsAFolderThatWasReplaced() throws Exception {
        Path sub = Files.createDirectory(folder.resolve("sub"));
        write("sub/service.yaml", SERVICE);
        try (ManifestSource source = new ManifestSource(List.of(sub), Clock.systemUTC())) {
            source.start((snapshot, changed) -> events.add(new Event(snapshot, changed)));
            next();
            Files.move(sub, folder.resolve("old"));
            Files.createDirectory(sub);
            write("sub/service.yaml", SERVICE.replace("web", "other"));
            Eventually.isTrue(
                    "the condition",
                    () -> source.snapshot().services().containsKey(Snapshots.portName("default/other")));
        }
    }

    @Test
    void refusesToStartWithABrokenManifestAndLeavesNothingBehind() throws Exception {
        write("service.yaml", SERVICE.replace("kind", "kinds"));
        try (ManifestSource source = new ManifestSource(List.of(folder), Clock.systemUTC())) {
            assertThatThrownBy(() -> source.start((snapshot, changed) -> events.add(new Event(snapshot, changed))))
                    .isInstanceOf(ManifestException.class)
                    .hasMessage(folder.resolve("service.yaml") + ": document 1: kind: missing (expected: a string)");
        }
        assertThat(events).isEmpty();
    }

    @Test
    void goesOnAfterAnErrorOfAnyKind() throws Exception {
        write("service.yaml", SERVICE);
        AtomicBoolean failing = new AtomicBoolean();
        try (ManifestSource source = new ManifestSource(List.of(folder), Clock.systemUTC())) {
            source.start((snapshot, changed) -> {
                if (failing.getAndSet(false)) {
                    throw new OutOfMemoryError("for a test");
                }
                events.add(new Event(snapshot, changed));
            });
            next();
            failing.set(true);
            replace("slice.yaml", slice("10.244.0.2"));
            Eventually.isTrue("the condition", () -> !failing.get());

            replace("slice.yaml", slice("10.244.0.3"));
            assertThat(endpoints(next().snapshot)).isEqualTo("[10.244.0.3:8080]");
        }
    }

    @Test
    void tellsNobodyAfterItWasClosed() throws Exception {
        write("service.yaml", SERVICE);
        ManifestSource source = start();
        next();
        source.close();
        write("service.yaml", SERVICE.replace("web", "other"));

        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("manifest-source"));
        assertThat(events).isEmpty();
    }

    private ManifestSource start() throws ManifestException {
        ManifestSource source = new ManifestSource(List.of(folder), Clock.systemUTC());
        source.start((snapshot, changed) -> events.add(new Event(snapshot, changed)));
        return source;
    }

    private Event next() throws InterruptedException {
        Event event = events.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(event).as("an event within %s", LIMIT).isNotNull();
        return event;
    }

    private static String endpoints(ServiceSnapshot snapshot) {
        return snapshot.endpoints().getOrDefault(WEB, List.of()).stream()
                .map(endpoint -> endpoint.hostAndPort())
                .toList()
                .toString();
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private void replace(String name, String text) throws IOException {
        Path next = write(".next", text);
        Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String slice(String ip) {
        return """
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata:
                  name: web-1
                  labels: {kubernetes.io/service-name: web}
                  annotations: {endpoints.kubernetes.io/last-change-trigger-time: "%s"}
                addressType: IPv4
                ports: [{port: 8080}]
                endpoints: [{addresses: [%s], nodeName: n1}]
                """.formatted(TRIGGER, ip);
    }
}
