package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.source.kubernetes.SeenRequest;
import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.endpoints.source.kubernetes.client.ApiServerAccess;
import dev.nodepath.linux.Eventually;
import dev.nodepath.policy.PolicyObjects.Known;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicySnapshot;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the server is asked for what, and what is known then. */
class PolicyObjectsTest {
    private final TestApiServer server = new TestApiServer();
    private final PolicyObjects objects = new PolicyObjects();
    private final KubernetesSource source;

    PolicyObjectsTest() throws SourceException {
        source = new KubernetesSource(
                ApiServerAccess.master(server.url()), "n1", "", TestApiServer.FAST, new Random(1), Clock.systemUTC());
    }

    @BeforeEach
    void follow() {
        server.put("/api/v1/namespaces", "{\"metadata\":{\"name\":\"shop\"}}");
        putPod("web", "10.244.1.2");
        objects.follow(source);
    }

    @AfterEach
    void close() throws Exception {
        source.close();
        server.close();
    }

    private void putPod(String name, String address) {
        server.put(TestApiServer.PODS, """
                {"metadata":{"namespace":"shop","name":"%s"},"spec":{"nodeName":"n1"},
                 "status":{"podIPs":[{"ip":"%s"}]}}""".formatted(name, address));
    }

    private void putPolicy() {
        server.put(TestApiServer.POLICIES, """
                {"metadata":{"namespace":"shop","name":"deny-all"},"spec":{"podSelector":{}}}""");
    }

    private boolean isAskedFor(String path) {
        return server.requests().stream().map(SeenRequest::path).anyMatch(path::equals);
    }

    @Test
    void asksForPodsAndNamespacesWhenThereIsAPolicyAndNotBefore() throws Exception {
        assertThat(objects.known(Duration.ZERO)).isEqualTo(Known.NOTHING);
        source.start((snapshot, changed) -> {});
        Eventually.isTrue("no policy", () -> objects.known(Duration.ZERO) == Known.NONE);
        assertThat(isAskedFor(TestApiServer.PODS)).isFalse();
        assertThat(isAskedFor("/api/v1/namespaces")).isFalse();

        putPolicy();
        assertThat(objects.known(Duration.ofMinutes(5))).isEqualTo(Known.SOME);
        PolicySnapshot first = objects.take(Duration.ofMinutes(5)).orElseThrow().snapshot();
        assertThat(first.pods()).containsOnlyKeys(TestObjects.name("shop/web"));
        assertThat(first.namespaces()).containsKey("shop");
        assertThat(first.policies()).containsOnlyKeys(TestObjects.name("shop/deny-all"));

        server.delete(TestApiServer.POLICIES, "shop", "deny-all");
        Eventually.isTrue("no policy any more", () -> objects.known(Duration.ZERO) == Known.NONE);
    }

    @Test
    void tellsChangesFromTheFirstSnapshotOnAlone() throws Exception {
        putPolicy();
        source.start((snapshot, changed) -> {});
        assertThat(objects.take(Duration.ofMinutes(5)).orElseThrow().changes()).isEqualTo(PolicyChanges.NONE);
        putPod("db", "10.244.1.3");
        assertThat(objects.take(Duration.ofMinutes(5)).orElseThrow().changes())
                .isEqualTo(new PolicyChanges(Set.of(), Set.of(TestObjects.name("shop/db")), Set.of()));
    }
}
