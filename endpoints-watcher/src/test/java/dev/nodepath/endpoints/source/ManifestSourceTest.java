package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestSourceTest {
    private static final Instant TRIGGER = Instant.parse("2026-01-02T03:04:05.678901234Z");

    @TempDir
    Path folder;

    private final LogCapture log = new LogCapture(SkippedObjects.class);
    private final List<ServiceSnapshot> snapshots = new ArrayList<>();
    private ChangeSet change = ChangeSet.NONE;

    @AfterEach
    void stopLogging() {
        log.close();
    }

    @Test
    void readsAllFilesOnceAndTellsWhatChanged() throws Exception {
        write("service.yaml", service("web"));
        write("slice.json", SLICE);
        ManifestSource source = start(folder, folder.resolve("service.yaml"));
        assertThat(snapshots)
                .containsExactly(Snapshots.service("default/web", "10.96.0.10", 80)
                        .endpoint("10.244.0.2:8080", "n1")
                        .build());
        assertThat(source.snapshot()).isSameAs(snapshots.get(0));
        assertThat(change.servicePorts()).containsExactly(Snapshots.portName("default/web"));
        assertThat(change.lastTrigger()).contains(TRIGGER);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void theSnapshotComesEvenIfThereIsNothing() throws Exception {
        start(folder);
        assertThat(snapshots).containsExactly(ServiceSnapshot.EMPTY);
        assertThat(change).isEqualTo(ChangeSet.NONE);
    }

    @Test
    void aBadObjectIsLeftOutAloneNamedOnceAndCounted() throws Exception {
        Path file = write(
                "a.yaml",
                service("a") + service("bad").replace("port: 80", "port: 70000") + "---\n{kind: Service}\n"
                        + service("b"));
        ManifestSource source = start(folder);
        assertThat(source.snapshot().services().keySet())
                .containsExactlyInAnyOrder(Snapshots.portName("default/a"), Snapshots.portName("default/b"));
        String inFile = " object=" + file + ": ";
        assertThat(log.lines())
                .containsExactlyInAnyOrder(
                        "kind=Manifest" + inFile
                                + "document 3 problem=apiVersion: missing (expected: a string) problems=1"
                                + " source.object_skipped",
                        "kind=Service" + inFile
                                + "document 2: Service default/bad problem=spec.ports[0].port: 70000 (expected: 1 to 65535)"
                                + " problems=1 source.object_skipped");
        assertThat(source.stats().skipped())
                .containsExactly(
                        new SourceStats.Skipped("Manifest", "apiVersion", 1),
                        new SourceStats.Skipped("Service", "spec.ports.port", 1));
    }

    @Test
    void ofAnObjectThatIsThereTwiceTheFirstCounts() throws Exception {
        write("a.yaml", service("a") + service("a").replace("10.96.0.10", "10.96.0.11"));
        write("b.yaml", service("a").replace("10.96.0.10", "10.96.0.12"));
        ManifestSource source = start(folder);
        assertThat(source.snapshot())
                .isEqualTo(Snapshots.service("default/a", "10.96.0.10", 80).build());
        assertThat(log.lines())
                .hasSize(2)
                .allMatch(line -> line.contains("already in " + folder.resolve("a.yaml") + ", line 2"));
    }

    @Test
    void refusesToStartWithABrokenManifest() throws Exception {
        Path file = write("service.yaml", service("web").replace("kind", "kinds"));
        assertThatThrownBy(() -> start(folder))
                .isInstanceOf(ManifestException.class)
                .hasMessage(file + ": document 1: kind: missing (expected: a string)");
        assertThat(snapshots).isEmpty();
    }

    private ManifestSource start(Path... paths) throws ManifestException {
        ManifestSource source = new ManifestSource(List.of(paths));
        source.start((snapshot, changed) -> {
            snapshots.add(snapshot);
            change = changed;
        });
        return source;
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static String service(String name) {
        return """
                ---
                {apiVersion: v1, kind: Service, metadata: {name: %s}, spec: {clusterIP: 10.96.0.10, ports: [{port: 80}]}}
                """.formatted(name);
    }

    private static final String SLICE = """
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata:
              name: web-1
              labels: {kubernetes.io/service-name: web}
              annotations: {endpoints.kubernetes.io/last-change-trigger-time: "%s"}
            addressType: IPv4
            ports: [{port: 8080}]
            endpoints: [{addresses: [10.244.0.2], nodeName: n1}]
            """.formatted(TRIGGER);
}
