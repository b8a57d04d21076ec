package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.POLICIES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.SourceStats;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** NetworkPolicies, of which an agent only needs to know whether there are any. */
class NetworkPoliciesTest extends KubernetesSourceFixture {
    private final List<NamespacedName> told = new CopyOnWriteArrayList<>();

    @BeforeEach
    void fill() {
        cluster();
    }

    private KubernetesSource started() throws Exception {
        return started(told::add);
    }

    private KubernetesSource started(PolicyListener listener) throws Exception {
        KubernetesSource source = new KubernetesSource(
                ApiServerAccess.master(server.url()),
                "n1",
                KubernetesSource.Nodes.ALL,
                Optional.of(listener),
                "",
                FAST,
                new Random(1),
                InstantSource.system());
        source.start((snapshot, changed) -> snapshots.add(snapshot));
        return source;
    }

    private void put(String name) {
        server.put(POLICIES, """
                {"metadata":{"namespace":"default","name":"%s"},"spec":{"podSelector":{}}}""".formatted(name));
    }

    private SourceStats.Watch stats(KubernetesSource source) {
        return source.stats().watches().stream()
                .filter(watch -> watch.kind().equals("NetworkPolicy"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void tellsOnceOfThoseThatAreThere() throws Exception {
        put("deny-all");
        put("allow-dns");
        try (KubernetesSource source = started()) {
            await(() -> stats(source).watches() > 0);
            put("another");
            await(() -> stats(source).lastEvent().isPresent());
            assertThat(told).containsExactly(new NamespacedName("default", "allow-dns"));
        }
    }

    /** Otherwise a waiter for the objects sees earlier figures. */
    @Test
    void countsAListBeforeItTellsOfIt() throws Exception {
        put("deny-all");
        CompletableFuture<KubernetesSource> starting = new CompletableFuture<>();
        CompletableFuture<Long> lists = new CompletableFuture<>();
        try (KubernetesSource source =
                started(policy -> lists.complete(stats(starting.join()).lists()))) {
            starting.complete(source);
            assertThat(lists.get(5, TimeUnit.MINUTES)).isEqualTo(1);
        }
    }

    @Test
    void tellsOfThoseThatComeLaterAndAgainAfterAllWereGone() throws Exception {
        try (KubernetesSource source = started()) {
            await(() -> stats(source).watches() > 0);
            assertThat(told).isEmpty();
            put("first");
            await(() -> told.size() == 1);
            put("second");
            server.delete(POLICIES, "default", "first");
            server.delete(POLICIES, "default", "second");
            put("third");
            await(() -> told.size() == 2);
            assertThat(told)
                    .containsExactly(new NamespacedName("default", "first"), new NamespacedName("default", "third"));
        }
    }

    @Test
    void asksForNamesAlone() throws Exception {
        put("deny-all");
        try (KubernetesSource source = started()) {
            await(() -> stats(source).watches() > 0);
            assertThat(server.requests())
                    .filteredOn(request -> request.path().equals(POLICIES))
                    .extracting(request -> request.isWatch() + " " + request.accept())
                    .containsExactly(
                            "false application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
                            "true application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
            assertThat(server.requests())
                    .filteredOn(request -> !request.path().equals(POLICIES))
                    .allMatch(request -> request.accept().equals("application/json"));
        }
    }

    @Test
    void whereItMayNotAskEverythingElseIsAsItWouldBe() throws Exception {
        server.fail(POLICIES, false, 1000, 403, """
                {"kind":"Status","status":"Failure","message":"networkpolicies is forbidden","reason":"Forbidden","code":403}""", "");
        try (KubernetesSource source = started()) {
            await(() -> stats(source).forbidden().isPresent());
            await(() -> shown(source).equals("{default/web:http=[10.244.0.2:8080]}"));
            assertThat(stats(source).forbidden().orElseThrow())
                    .contains("RBAC rule {apiGroups: [\"networking.k8s.io\"], resources: [networkpolicies],"
                            + " verbs: [list, watch]}");
            assertThat(log.warnings("kind=NetworkPolicy")).hasSize(1);
            assertThat(told).isEmpty();
        }
    }

    @Test
    void aProxyDoesNotAsk() throws Exception {
        put("deny-all");
        try (KubernetesSource source = start(FAST)) {
            await(() -> shown(source).equals("{default/web:http=[10.244.0.2:8080]}"));
            awaitWatches(3);
            assertThat(server.requests()).noneMatch(request -> request.path().equals(POLICIES));
        }
    }
}
