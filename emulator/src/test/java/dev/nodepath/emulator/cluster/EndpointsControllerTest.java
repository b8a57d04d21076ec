package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.emulator.topology.PodSpec;
import dev.nodepath.emulator.topology.ServiceSpec;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestReader;
import dev.nodepath.endpoints.tracker.SnapshotTracker;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EndpointsControllerTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final ServiceSpec WEB = new ServiceSpec(
            new NamespacedName("default", "web"),
            List.of(IpAddress.parse("10.96.0.10")),
            Map.of("app", "web"),
            List.of(
                    new ServiceSpec.Port("http", Protocol.TCP, 80, "http", 0),
                    new ServiceSpec.Port("raw", Protocol.TCP, 81, "9000", 0)));
    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {clusterIP: 10.96.0.10, ports: [{name: http, port: 80}, {name: raw, port: 81}]}
            """;

    @TempDir
    private Path folder;

    private final Clock stoppedClock = Clock.fixed(NOW, ZoneOffset.UTC);

    @Test
    void givesProxiesTheReadyPodsThatTheSelectorPicks() throws IOException, ManifestException {
        EndpointsController controller = controller();
        controller.update(pod("web-1", "10.244.1.2", Map.of("app", "web"), 8080, true));
        controller.update(pod("web-2", "10.244.2.2", Map.of("app", "web", "more", "x"), 8081, false));
        controller.update(pod("other", "10.244.1.3", Map.of("app", "other"), 8080, true));

        assertThat(endpoints("http"))
                .containsExactly(
                        Endpoint.ready(IpAddress.parse("10.244.1.2"), 8080, "n1"),
                        new Endpoint(IpAddress.parse("10.244.2.2"), 8081, "n1", false, false, false));
        assertThat(endpoints("raw"))
                .extracting(Endpoint::hostAndPort)
                .containsExactly("10.244.1.2:9000", "10.244.2.2:9000");
    }

    @Test
    void podsOfALostNodeAreNotReadyUntilItComesBack() throws IOException, ManifestException {
        EndpointsController controller = controller();
        controller.update(pod("web-1", "10.244.1.2", Map.of("app", "web"), 8080, true));

        assertThat(controller.lose(Set.of("n2"))).isEmpty();
        assertThat(controller.lose(Set.of("n1"))).isPresent();
        assertThat(endpoints("http")).extracting(Endpoint::ready).containsExactly(false);
        // What a node that is cut off says of its pods reaches nobody.
        controller.update(pod("web-1", "10.244.1.2", Map.of("app", "web"), 8080, true));
        assertThat(endpoints("http")).extracting(Endpoint::ready).containsExactly(false);
        assertThat(controller.lose(Set.of())).isPresent();
        assertThat(endpoints("http")).extracting(Endpoint::ready).containsExactly(true);
    }

    @Test
    void aPodThatIsEndedServesUntilItIsGone() throws IOException, ManifestException {
        EndpointsController controller = controller();
        PodStatus web = pod("web-1", "10.244.1.2", Map.of("app", "web"), 8080, true);
        controller.update(web);

        assertThat(controller.terminate(web.spec().name())).isPresent();
        assertThat(endpoints("http"))
                .containsExactly(new Endpoint(IpAddress.parse("10.244.1.2"), 8080, "n1", false, true, true));
        assertThat(controller.pods()).extracting(PodStatus::ready).containsExactly(false);
        assertThat(controller.update(web)).as("its probe passes still").isEmpty();

        assertThat(controller.remove(web.spec().name())).isPresent();
        assertThat(endpoints("http")).isEmpty();
        controller.update(web);
        assertThat(endpoints("http"))
                .as("a new one of its name")
                .extracting(Endpoint::ready)
                .containsExactly(true);
    }

    @Test
    void leavesOutPortsWhoseNameThePodDoesNotHave() throws IOException, ManifestException {
        PodSpec nameless = new PodSpec(
                new NamespacedName("default", "web-1"),
                "n1",
                Map.of("app", "web"),
                List.of(),
                Map.of(),
                Optional.empty());
        controller().update(new PodStatus(nameless, List.of(IpAddress.parse("10.244.1.2")), true));

        assertThat(endpoints("http")).isEmpty();
        assertThat(endpoints("raw")).hasSize(1);
    }

    @Test
    void writesOnlyWhatChangesAndGivesEachChangeATimeOfItsOwn() throws IOException {
        EndpointsController controller = controller();
        PodStatus web = pod("web-1", "10.244.1.2", Map.of("app", "web"), 8080, true);
        Instant first = controller.update(web).orElseThrow();

        assertThat(controller.update(web)).isEmpty();
        assertThat(controller.update(pod("other", "10.244.1.3", Map.of("app", "other"), 80, true)))
                .isEmpty();
        Instant second = controller
                .update(pod("web-1", "10.244.1.2", Map.of("app", "web"), 8080, false))
                .orElseThrow();

        assertThat(first).isEqualTo(NOW);
        assertThat(second).isAfter(first);
        assertThat(controller.lastTrigger()).contains(second);
    }

    @Test
    void takesManyPodsAsOneChange() throws IOException, ManifestException {
        EndpointsController controller = controller();

        assertThat(controller.update(List.of(
                        pod("web-1", "10.244.1.2", Map.of("app", "web"), 8080, true),
                        pod("web-2", "10.244.2.2", Map.of("app", "web"), 8080, true))))
                .contains(NOW);

        assertThat(controller.lastTrigger()).contains(NOW);
        assertThat(endpoints("http"))
                .extracting(Endpoint::hostAndPort)
                .containsExactly("10.244.1.2:8080", "10.244.2.2:8080");
    }

    @Test
    void leavesNoHalfWrittenFile() throws IOException {
        controller().update(pod("web-1", "10.244.1.2", Map.of("app", "web"), 8080, true));

        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).extracting(file -> file.getFileName().toString()).containsExactly("endpointslices.json");
        }
    }

    private EndpointsController controller() {
        return new EndpointsController(List.of(WEB), folder, stoppedClock);
    }

    private List<Endpoint> endpoints(String port) throws IOException, ManifestException {
        Files.writeString(folder.resolve("service.yaml"), SERVICE);
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(ManifestReader.read(folder).cluster());
        ServiceSnapshot snapshot = tracker.commit().snapshot();
        return snapshot.endpoints().getOrDefault(new ServicePortName(WEB.name(), port, Protocol.TCP), List.of());
    }

    private static PodStatus pod(String name, String ip, Map<String, String> labels, int http, boolean ready) {
        PodSpec spec = new PodSpec(
                new NamespacedName("default", name), "n1", labels, List.of(), Map.of("http", http), Optional.empty());
        return new PodStatus(spec, List.of(IpAddress.parse(ip)), ready);
    }
}
