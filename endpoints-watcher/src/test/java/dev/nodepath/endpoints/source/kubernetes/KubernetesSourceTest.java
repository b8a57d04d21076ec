package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.NODES;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SERVICES;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SLICES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.SourceStats;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KubernetesSourceTest extends KubernetesSourceFixture {
    @Test
    void publishesWhatTheServerHasAndFollowsIt() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            await(() -> !snapshots.isEmpty());
            assertThat(shown(source)).isEqualTo("{default/web:http=[10.244.0.2:8080]}");
            assertThat(snapshots).hasSize(1);
            assertThat(source.snapshot().nodes()).containsOnlyKeys("n1");

            server.put(SLICES, slice("web", "10.244.0.3"));
            await(() -> shown(source).equals("{default/web:http=[10.244.0.3:8080]}"));
            server.put(SERVICES, service("api", "10.96.0.11"));
            await(() -> shown(source).equals("{default/api:http=[], default/web:http=[10.244.0.3:8080]}"));
            server.delete(SLICES, "default", "web-1");
            server.delete(SERVICES, "default", "api");
            await(() -> shown(source).equals("{default/web:http=[]}"));
            assertThat(lists()).hasSize(3);
        }
    }

    @Test
    void needsNoMoreConnectionsThanItHasWatches() throws Exception {
        cluster();
        int port = URI.create(server.url()).getPort();
        try (CountedConnections connections = new CountedConnections(port);
                KubernetesSource source = new KubernetesSource(
                        ApiServerAccess.master(connections.url()),
                        "n1",
                        KubernetesSource.Nodes.OWN,
                        Optional.empty(),
                        "",
                        FAST,
                        new Random(1),
                        InstantSource.system())) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            awaitWatches(3);
            assertThat(server.requests()).hasSizeGreaterThanOrEqualTo(10);
            assertThat(connections.count()).isEqualTo(3);
        }
    }

    @Test
    void publishesNothingBeforeEverythingWasListed() throws Exception {
        cluster();
        try (KubernetesSource source = source(FAST)) {
            // Far more than are awaited, so that some are left however late it is seen that enough have come.
            server.fail(SLICES, false, 40, 500, "", "");
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            await(() -> log.lines("source.listed").stream().anyMatch(line -> line.contains("kind=Service ")));
            await(() -> log.lines("source.disconnected").size() >= 8);
            assertThat(snapshots).isEmpty();
            await(() -> !snapshots.isEmpty());
            ServiceSnapshot first = snapshots.remove();
            assertThat(first.endpoints()).isNotEmpty();
            assertThat(first.nodes()).isNotEmpty();
        }
    }

    @Test
    void waitsForTheNodeButNotForEver() throws Exception {
        cluster();
        server.delete(NODES, "", "n1");
        WatchLimits shortWait = limits(FAST.silence(), Duration.ofMillis(200), 500);
        try (KubernetesSource source = start(shortWait)) {
            await(() -> !snapshots.isEmpty());
            assertThat(source.snapshot().nodes()).isEmpty();
            server.put(NODES, NODE);
            await(() -> source.snapshot().nodes().containsKey("n1"));
        }
    }

    @Test
    void followsAllNodesIfAskedToAndWaitsForTheOwnOneAlone() throws Exception {
        cluster();
        server.delete(NODES, "", "n1");
        server.put(NODES, NODE.replace("\"n1\"", "\"n2\""));
        try (KubernetesSource source = new KubernetesSource(
                ApiServerAccess.master(server.url()),
                "n1",
                KubernetesSource.Nodes.ALL,
                Optional.empty(),
                "",
                FAST,
                new Random(1),
                InstantSource.system())) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            await(() -> lists().size() == 3);
            assertThat(snapshots).as("this node's Node is missing").isEmpty();
            server.put(NODES, NODE);
            await(() -> !snapshots.isEmpty());
            assertThat(snapshots.remove().nodes()).containsOnlyKeys("n1", "n2");
            server.delete(NODES, "", "n2");
            await(() -> source.snapshot().nodes().keySet().equals(java.util.Set.of("n1")));
        }
    }

    @Test
    void saysThatTheServerIsTooOld() {
        server.serveSlices(false);
        assertThatThrownBy(() -> start(FAST))
                .isInstanceOf(SourceException.class)
                .hasMessageEndingWith(server.url()
                        + "/apis/discovery.k8s.io/v1: no endpointslices (expected: an API server of Kubernetes 1.21 or"
                        + " newer)");
    }

    @Test
    void anAnnotationOfAMegabyteKeepsNothingFromBeingSeen() throws Exception {
        cluster();
        String annotated = "\"annotations\":{\"note\":\"" + "x".repeat(1 << 20) + "\"},\"labels\"";
        server.put(SERVICES, service("large", "10.96.0.20").replace("\"labels\"", annotated));
        try (KubernetesSource source = start(FAST)) {
            await(() -> shown(source).equals("{default/large:http=[], default/web:http=[10.244.0.2:8080]}"));
            server.put(SLICES, slice("large", "10.244.0.7").replace("\"labels\"", annotated));
            await(() ->
                    shown(source).equals("{default/large:http=[10.244.0.7:8080], default/web:http=[10.244.0.2:8080]}"));
            assertThat(source.stats().skipped()).isEmpty();
        }
    }

    @Test
    void takesOnlyTheServicesOfItsProxyName() throws Exception {
        cluster();
        String other = service("other", "10.96.0.77")
                .replace("\"labels\":{", "\"labels\":{\"service.kubernetes.io/service-proxy-name\":\"mine\",");
        server.put(SERVICES, other);
        server.put(
                SERVICES,
                service("headless", "None")
                        .replace("\"labels\":{", "\"labels\":{\"service.kubernetes.io/headless\":\"\","));
        try (KubernetesSource all = start(FAST);
                KubernetesSource mine = new KubernetesSource(
                        ApiServerAccess.master(server.url()),
                        "n1",
                        KubernetesSource.Nodes.OWN,
                        Optional.empty(),
                        "mine",
                        FAST,
                        new Random(1),
                        InstantSource.system())) {
            mine.start((snapshot, changed) -> {});
            await(() -> shown(all).equals("{default/web:http=[10.244.0.2:8080]}"));
            await(() -> shown(mine).equals("{default/other:http=[]}"));
            server.put(SERVICES, service("other", "10.96.0.77"));
            await(() -> shown(mine).equals("{}"));
            await(() -> shown(all).equals("{default/other:http=[], default/web:http=[10.244.0.2:8080]}"));
        }
    }

    @Test
    void skipsWhatCannotBeUsedAndNamesItOnce() throws Exception {
        cluster();
        server.put(SERVICES, service("bad", "10.96.0.300"));
        server.put(SERVICES, service("odd", "10.96.0.20").replace("\"port\":80", "\"port\":\"eighty\""));
        server.put(SLICES, slice("web", "10.244.0.2\"]},{\"addresses\":[\"10.244.0.700"));
        try (KubernetesSource source = source(FAST)) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            await(() -> shown(source).equals("{default/web:http=[10.244.0.2:8080]}"));
            assertThat(source.stats().skipped())
                    .containsExactlyInAnyOrder(
                            new SourceStats.Skipped("Service", "spec.clusterIP", 1),
                            new SourceStats.Skipped("Service", "spec.ports.port", 1),
                            new SourceStats.Skipped("EndpointSlice", "endpoints.addresses", 1));
            assertThat(skips.lines())
                    .hasSize(3)
                    .anyMatch(line -> line.contains("object=default/bad")
                            && line.contains("spec.clusterIP: \"10.96.0.300\" (expected: an IPv4 or IPv6 address)"));

            server.put(SERVICES, service("bad", "10.96.0.301"));
            await(() -> source.stats().skipped().contains(new SourceStats.Skipped("Service", "spec.clusterIP", 2)));
            assertThat(skips.lines()).hasSize(3);
            server.put(SERVICES, service("bad", "10.96.0.30"));
            await(() -> shown(source).contains("default/bad:http=[]"));
            server.put(SERVICES, service("bad", "10.96.0.302"));
            await(() -> !shown(source).contains("default/bad"));
            await(() -> skips.lines().size() == 4);
        }
    }

    @Test
    void saysWhichCallIsRefused() throws Exception {
        cluster();
        server.fail(SERVICES, false, 1, 403, TestApiServer.resource("forbidden-anonymous.json"), "");
        try (KubernetesSource source = source(FAST)) {
            assertThatThrownBy(() -> source.start((snapshot, changed) -> {}))
                    .isInstanceOf(SourceException.class)
                    .hasMessage(
                            "--master: GET " + server.url() + "/api/v1/services: 403 Forbidden: services is forbidden:"
                                    + " User \"system:anonymous\" cannot list resource \"services\" in API group \"\" at the"
                                    + " cluster scope (expected: the right to list and watch it, RBAC rule {apiGroups: [\"\"],"
                                    + " resources: [services], verbs: [list, watch]})");
        }
    }

    @Test
    void saysThatDiscoveryIsRefused() throws Exception {
        server.fail(TestApiServer.DISCOVERY, false, 1, 403, TestApiServer.resource("forbidden-anonymous.json"), "");
        try (KubernetesSource source = source(FAST)) {
            assertThatThrownBy(() -> source.start((snapshot, changed) -> {}))
                    .isInstanceOf(SourceException.class)
                    .hasMessageStartingWith(
                            "--master: GET " + server.url() + "/apis/discovery.k8s.io/v1: 403 Forbidden: ")
                    .hasMessageEndingWith(" (expected: the right to get it)");
        }
        assertThat(server.requests()).as("refused once, not asked again").hasSize(1);
    }

    @Test
    void skipsObjectsWithoutAName() throws Exception {
        cluster();
        String nameless = service("x", "10.96.0.66").replace("\"name\":\"x\",", "");
        assertThat(nameless).doesNotContain("\"x\",\"labels");
        server.fail(
                SERVICES, false, 1, 200, """
                {"kind":"ServiceList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s,%s]}""".formatted(server.version(), nameless, service("web", "10.96.0.10")), "");
        try (KubernetesSource source = source(FAST)) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            awaitWatches(3);
            assertThat(shown(source)).isEqualTo("{default/web:http=[10.244.0.2:8080]}");
            assertThat(source.stats().skipped())
                    .containsExactly(new SourceStats.Skipped("Service", "metadata.name", 1));

            server.fail(SERVICES, true, 1, 200, """
                    {"type":"ADDED","object":%s}
                    {"type":"DELETED","object":%1$s}
                    {"type":"ADDED","object":%s}
                    """.formatted(nameless, service("api", "10.96.0.11")), "");
            server.endWatches();
            await(() -> shown(source).equals("{default/api:http=[], default/web:http=[10.244.0.2:8080]}"));
            assertThat(source.stats().skipped())
                    .containsExactly(new SourceStats.Skipped("Service", "metadata.name", 3));
            assertThat(skips.lines()).hasSize(1).allMatch(line -> line.contains("metadata.name: missing"));
            server.put(SLICES, slice("web", "10.244.0.3"));
            await(() -> shown(source).contains("default/web:http=[10.244.0.3:8080]"));
            assertThat(lists()).as("nothing is listed again because of it").hasSize(3);
        }
    }

    @Test
    void followsAServiceOfTenThousandPorts() throws Exception {
        cluster();
        StringBuilder ports = new StringBuilder();
        for (int i = 1; i <= 10_000; i++) {
            ports.append(i == 1 ? "" : ",")
                    .append("{\"name\":\"p")
                    .append(i)
                    .append("\",\"protocol\":\"TCP\",\"port\":");
            ports.append(i).append('}');
        }
        String http = "\"ports\":[{\"name\":\"http\",\"port\":";
        server.put(
                SERVICES,
                service("wide", "10.96.0.20").replace(http + "80,\"protocol\":\"TCP\"}", "\"ports\":[" + ports));
        String slice = slice("wide", "10.244.0.7").replace(http + "8080,\"protocol\":\"TCP\"}", "\"ports\":[" + ports);
        server.put(SLICES, slice);
        try (KubernetesSource source = start(FAST)) {
            await(() -> source.snapshot().services().size() == 10_001
                    && source.snapshot().endpoints().size() == 10_001);
            server.put(SLICES, slice.replace("10.244.0.7", "10.244.0.8"));
            await(() -> source.snapshot().endpoints().values().stream()
                            .filter(endpoints -> endpoints.toString().contains("10.244.0.8"))
                            .count()
                    == 10_000);
            server.put(SLICES, slice("web", "10.244.0.3"));
            await(() -> shown(source).contains("default/web:http=[10.244.0.3:8080]"));
            assertThat(source.stats().skipped()).isEmpty();
            server.delete(SERVICES, "default", "wide");
            await(() -> source.snapshot().services().size() == 1);
        }
    }

    @Test
    void saysThatNobodyAnswers() throws Exception {
        server.stop();
        try (KubernetesSource source = source(FAST)) {
            assertThatThrownBy(() -> source.start((snapshot, changed) -> {}))
                    .isInstanceOf(SourceException.class)
                    .hasMessage("--master: GET " + server.url() + "/apis/discovery.k8s.io/v1: cannot connect"
                            + " (expected: an answer from a Kubernetes API server)");
        }
    }

    @Test
    void tellsNobodyAfterItWasClosedAndLeavesNoThread() throws Exception {
        cluster();
        KubernetesSource source = start(FAST);
        awaitWatches(3);
        source.close();
        int before = snapshots.size();
        server.put(SLICES, slice("web", "10.244.0.3"));
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("kubernetes-"));
        assertThat(snapshots).hasSize(before);
    }

    @Test
    void lists10000ServicesAndSlicesInPages() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            String ip = (i >> 8) + "." + (i & 255);
            server.put(SERVICES, service("s" + i, "10.96." + ip));
            server.put(SLICES, slice("s" + i, "10.1." + ip + "\"]},{\"addresses\":[\"10.2." + ip));
        }
        server.put(NODES, NODE);
        AtomicInteger calls = new AtomicInteger();
        try (KubernetesSource source = source(FAST)) {
            source.start((snapshot, changed) -> calls.incrementAndGet());
            await(() -> calls.get() > 0);
            assertThat(source.snapshot().services()).hasSize(10_000);
            assertThat(source.snapshot().endpoints()).hasSize(10_000);
            assertThat(lists(SERVICES))
                    .hasSize(20)
                    .allMatch(request -> "500".equals(request.parameters().get("limit")));
        }
    }
}
