package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.FakeApiServer.ENDPOINTS;
import static dev.nodepath.endpoints.source.kubernetes.FakeApiServer.NODES;
import static dev.nodepath.endpoints.source.kubernetes.FakeApiServer.SERVICES;
import static dev.nodepath.endpoints.source.kubernetes.FakeApiServer.SLICES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.SourceStats;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KubernetesSourceTest extends KubernetesSourceFixture {
    @Test
    void publishesWhatTheServerHasAndFollowsIt() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            await(() -> shown(source).equals("{default/web:http=[10.244.0.2:8080]}"));
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
    void publishesNothingBeforeEverythingWasListed() throws Exception {
        cluster();
        try (KubernetesSource source = source(FAST)) {
            server.fail(SLICES, false, 12, 500, "", "");
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
    void usesEndpointsWhereSlicesAreNotServed() throws Exception {
        cluster();
        server.serveSlices(false);
        server.put(ENDPOINTS, """
                {"metadata":{"namespace":"default","name":"web"},"subsets":[
                {"addresses":[{"ip":"10.244.0.2","nodeName":"n1"}],"notReadyAddresses":[{"ip":"10.244.0.3"}],
                 "ports":[{"name":"http","port":8080,"protocol":"TCP"}]},
                {"addresses":[{"ip":"10.244.0.4"}],"ports":[{"name":"http","port":9090}]}]}""");
        try (KubernetesSource source = start(FAST)) {
            await(() ->
                    shown(source).equals("{default/web:http=[10.244.0.2:8080, !10.244.0.3:8080, 10.244.0.4:9090]}"));
            server.put(ENDPOINTS, """
                    {"metadata":{"namespace":"default","name":"web"},"subsets":[
                    {"addresses":[{"ip":"10.244.0.3"}],"ports":[{"name":"http","port":8080,"protocol":"TCP"}]}]}""");
            await(() -> shown(source).equals("{default/web:http=[10.244.0.3:8080]}"));
            server.delete(ENDPOINTS, "default", "web");
            await(() -> shown(source).equals("{default/web:http=[]}"));
            assertThat(sourceLog.lines("source.discovered"))
                    .containsExactly("server=" + server.url() + " endpoints=Endpoints v1 source.discovered");
        }
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
                        ApiServerAccess.master(server.url()), "n1", "mine", FAST, new Random(1), Clock.systemUTC())) {
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
            assertThat(source.stats().skippedCount()).isEqualTo(3);
            assertThat(source.stats().skipped())
                    .contains(new SourceStats.Skipped("Service", "spec.clusterIP", 1))
                    .contains(new SourceStats.Skipped("Service", "spec.ports.port", 1));
            assertThat(skips.lines())
                    .hasSize(3)
                    .anyMatch(line -> line.contains("object=default/bad")
                            && line.contains("spec.clusterIP: \"10.96.0.300\" (expected: an IPv4 or IPv6 address)"));

            server.put(SERVICES, service("bad", "10.96.0.301"));
            await(() -> source.stats().skippedCount() == 4);
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
        server.fail(SERVICES, false, 1, 403, FakeApiServer.resource("forbidden-anonymous.json"), "");
        try (KubernetesSource source = source(FAST)) {
            assertThatThrownBy(() -> source.start((snapshot, changed) -> {}))
                    .isInstanceOf(SourceException.class)
                    .hasMessage(
                            "--master: GET " + server.url() + "/api/v1/services: 403 Forbidden: services is forbidden:"
                                    + " User \"system:anonymous\" cannot list resource \"services\" in API group \"\" at the"
                                    + " cluster scope (expected: the right to list and watch it)");
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
        long start = System.nanoTime();
        AtomicInteger calls = new AtomicInteger();
        try (KubernetesSource source = source(FAST)) {
            source.start((snapshot, changed) -> calls.incrementAndGet());
            await(() -> calls.get() > 0);
            long millis = (System.nanoTime() - start) / 1_000_000;
            assertThat(source.snapshot().services()).hasSize(10_000);
            assertThat(source.snapshot().endpoints()).hasSize(10_000);
            assertThat(lists(SERVICES))
                    .hasSize(20)
                    .allMatch(request -> "500".equals(request.parameters().get("limit")));
            assertThat(millis).isLessThan(LIMIT.toMillis());
            org.slf4j.LoggerFactory.getLogger(KubernetesSourceTest.class)
                    .atInfo()
                    .addKeyValue("duration_ms", millis)
                    .log("test.first_list");
        }
    }
}
