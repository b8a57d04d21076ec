package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.NODES;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SERVICES;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SLICES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.source.SourceStats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** After any behaviour of a server the snapshot equals the server's objects, and the requests were few. */
class KubernetesSourceFailureTest extends KubernetesSourceFixture {
    @Test
    void tellsAgainWhatTheListenerCouldNotTake() throws Exception {
        cluster();
        Queue<ChangeSet> taken = new ConcurrentLinkedQueue<>();
        AtomicInteger calls = new AtomicInteger();
        try (KubernetesSource source = source(FAST)) {
            source.start((snapshot, changed) -> {
                if (calls.incrementAndGet() == 2) {
                    throw new IllegalStateException("cannot take it");
                }
                taken.add(changed);
            });
            await(() -> taken.size() == 1);
            server.put(SLICES, slice("web", "10.244.0.3"));
            await(() -> calls.get() == 2);
            server.put(SERVICES, service("api", "10.96.0.11"));
            await(() -> taken.size() == 2);
            ChangeSet second = taken.stream().reduce((earlier, later) -> later).orElseThrow();
            assertThat(second.servicePorts())
                    .extracting(name -> name.service().name())
                    .containsExactly("api", "web");
        }
    }

    @Test
    void listsOnAfterAListWasCut() throws Exception {
        cluster();
        try (KubernetesSource source = source(FAST)) {
            server.cutNextList(SERVICES);
            server.cutNextList(SLICES);
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            await(() -> !snapshots.isEmpty());
            assertThat(shown(source)).isEqualTo("{default/web:http=[10.244.0.2:8080]}");
            assertThat(snapshots).as("nothing of the half list is shown").hasSize(1);
            assertThat(source.stats().watches()).anySatisfy(watch -> {
                assertThat(watch.kind()).isEqualTo("Service");
                assertThat(watch.errors()).containsKey("network");
                assertThat(watch.lists()).isEqualTo(1);
            });
        }
    }

    @Test
    void tellsHowItsWatchesAreDoing() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            server.fail(SLICES, true, 1, 500, "", "");
            server.endWatches();
            server.put(SLICES, slice("web", "10.244.0.3"));
            await(() -> shown(source).equals("{default/web:http=[10.244.0.3:8080]}"));
            SourceStats.Watch slices = source.stats().watches().get(1);
            assertThat(slices.kind()).isEqualTo("EndpointSlice");
            assertThat(slices.lists()).isEqualTo(1);
            assertThat(slices.watches()).isGreaterThanOrEqualTo(2);
            assertThat(slices.errors()).isEqualTo(Map.of("500", 1L));
            assertThat(slices.lastEvent()).isPresent();
            assertThat(slices.lastContact().orElseThrow())
                    .isAfterOrEqualTo(slices.lastEvent().orElseThrow());
        }
    }

    @Test
    void namesTheRuleThatIsTakenAwayWhileItWatches() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            String forbidden = TestApiServer.resource("forbidden-anonymous.json")
                    .replace("services", "endpointslices")
                    .replace("cannot list", "cannot watch");
            server.fail(SLICES, true, 20, 403, forbidden, "");
            server.endWatches();
            await(() -> forbidden(source).isPresent());
            assertThat(forbidden(source))
                    .hasValueSatisfying(problem -> assertThat(problem)
                            .startsWith("GET " + server.url() + SLICES + ": 403 Forbidden: endpointslices is forbidden")
                            .contains("cannot watch resource")
                            .endsWith("(expected: the right to list and watch it, RBAC rule"
                                    + " {apiGroups: [\"discovery.k8s.io\"], resources: [endpointslices],"
                                    + " verbs: [list, watch]})"));
            assertThat(source.snapshot().services()).as("what was known holds").hasSize(1);
            server.put(SLICES, slice("web", "10.244.0.3"));
            await(() -> shown(source).equals("{default/web:http=[10.244.0.3:8080]}"));
            assertThat(forbidden(source)).as("the right is back").isEmpty();
            assertThat(log.warnings("RBAC rule")).as("said once").hasSize(1);
        }
    }

    private static Optional<String> forbidden(KubernetesSource source) {
        return source.stats().watches().get(1).forbidden();
    }

    @Test
    void watchesOnAfterACutInTheMiddleOfALine() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            for (int i = 3; i < 8; i++) {
                int last = i;
                server.cutWatches();
                server.put(SLICES, slice("web", "10.244.0." + i));
                await(() -> shown(source).equals("{default/web:http=[10.244.0." + last + ":8080]}"));
            }
            server.cutWatches();
            server.delete(SLICES, "default", "web-1");
            await(() -> shown(source).equals("{default/web:http=[]}"));
            assertThat(lists()).as("a cut needs no list").hasSize(3);
        }
    }

    @Test
    void listsAgainAfter410AndLosesNoDeletion() throws Exception {
        cluster();
        server.put(SERVICES, service("api", "10.96.0.11"));
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            server.stop();
            server.delete(SERVICES, "default", "api");
            server.delete(SLICES, "default", "web-1");
            server.put(SERVICES, service("new", "10.96.0.12"));
            server.compact();
            server.start();
            await(() -> shown(source).equals("{default/new:http=[], default/web:http=[]}"));
            assertThat(server.listsAtOnce()).isEqualTo(1);
        }
    }

    @Test
    void readsAListInPagesAndAllAtOnceIfThePagesAreGone() throws Exception {
        for (int i = 0; i < 25; i++) {
            server.put(SERVICES, service("s" + i, "10.96.1." + i));
        }
        server.put(NODES, NODE);
        try (KubernetesSource source = start(limits(FAST.silence(), FAST.nodeWait(), 10))) {
            await(() -> source.snapshot().services().size() == 25);
            assertThat(lists(SERVICES)).hasSize(3);
            awaitWatches(3);

            server.clearRequests();
            server.stop();
            server.delete(SERVICES, "default", "s7");
            server.compact();
            server.expireNextPage();
            server.start();
            await(() -> source.snapshot().services().size() == 24);
            assertThat(lists(SERVICES)).hasSize(3);
            assertThat(lists(SERVICES).get(2).parameters()).doesNotContainKeys("limit", "continue");
        }
    }

    @Test
    void heedsRetryAfterAndErrors() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            server.clearRequests();
            server.fail(SLICES, true, 1, 429, "", "1");
            server.fail(SERVICES, true, 3, 500, "<html>", "");
            server.endWatches();
            server.put(SLICES, slice("web", "10.244.0.9"));
            server.put(SERVICES, service("api", "10.96.0.11"));
            await(() -> shown(source).equals("{default/api:http=[], default/web:http=[10.244.0.9:8080]}"));
            List<SeenRequest> watches = server.requests().stream()
                    .filter(request -> request.isWatch() && request.path().equals(SLICES))
                    .toList();
            assertThat(watches.get(1).nanos() - watches.get(0).nanos()).isGreaterThan(1_000_000_000L);
            assertThat(lists()).isEmpty();
        }
    }

    @Test
    void noticesAWatchThatGoesSilent() throws Exception {
        cluster();
        try (KubernetesSource source = start(limits(Duration.ofMillis(500), FAST.nodeWait(), 500))) {
            awaitWatches(3);
            server.muteOpenWatches();
            server.put(SLICES, slice("web", "10.244.0.3"));
            server.delete(SERVICES, "default", "nothing");
            await(() -> shown(source).equals("{default/web:http=[10.244.0.3:8080]}"));
            assertThat(lists()).hasSize(3);
        }
        assertThat(WatchLimits.DEFAULT.silence()).isLessThan(Duration.ofSeconds(90));
    }

    @Test
    void bookmarksMoveTheVersionAndNothingElse() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            // Something of no interest happens, so that the version moves on without an event.
            server.put(
                    SERVICES,
                    service("other", "10.96.0.77")
                            .replace(
                                    "\"labels\":{",
                                    "\"labels\":{" + "\"service.kubernetes.io/service-proxy-name\":\"other\","));
            server.bookmark();
            server.compact();
            server.clearRequests();
            await(() -> {
                server.bookmark();
                server.endWatches();
                return server.requests().stream()
                        .anyMatch(request -> request.isWatch()
                                && request.path().equals(SERVICES)
                                && server.version()
                                        == Long.parseLong(request.parameters().getOrDefault("resourceVersion", "0")));
            });
            server.put(SLICES, slice("web", "10.244.0.4"));
            await(() -> snapshots.size() >= 2);
            assertThat(shown(source)).isEqualTo("{default/web:http=[10.244.0.4:8080]}");
            assertThat(snapshots).hasSize(2);
        }
    }

    @Test
    void readsTheTokenFileAgainWhenItIsNotLetIn() throws Exception {
        cluster();
        Path token = Files.writeString(folder.resolve("token"), "first\n");
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                current-context: c
                contexts: [{name: c, context: {cluster: k, user: u}}]
                clusters: [{name: k, cluster: {server: "%s"}}]
                users: [{name: u, user: {tokenFile: token}}]
                """.formatted(server.url()));
        server.requireToken("first");
        ApiServerAccess access = ApiServerAccess.kubeconfig(kubeconfig, java.util.Optional.empty());
        try (KubernetesSource source = new KubernetesSource(
                access,
                "n1",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                FAST,
                new Random(1),
                InstantSource.system())) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            awaitWatches(3);
            server.requireToken("second");
            server.cutWatches();
            server.put(SLICES, slice("web", "10.244.0.3"));
            await(() -> !log.lines("Unauthorized").isEmpty());
            assertThat(shown(source)).isEqualTo("{default/web:http=[10.244.0.2:8080]}");
            Files.writeString(token, "second\n");
            await(() -> shown(source).equals("{default/web:http=[10.244.0.3:8080]}"));
            assertThat(lists()).hasSize(3);
        }
    }

    @Test
    void keepsWhatItKnowsWhileTheServerIsGone() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            server.stop();
            await(() -> log.lines("source.disconnected").size() >= 30);
            assertThat(shown(source)).isEqualTo("{default/web:http=[10.244.0.2:8080]}");
            server.put(SLICES, slice("web", "10.244.0.5"));
            server.start();
            await(() -> shown(source).equals("{default/web:http=[10.244.0.5:8080]}"));
            assertThat(lists()).as("the history is still there, so no list").hasSize(3);
            // The listener hears of a snapshot after it is there to be asked for.
            await(() -> snapshots.size() >= 2);
            assertThat(snapshots).hasSize(2);
        }
    }

    @Test
    void listsAgainWhenTheServerComesBackWithAnOlderVersion() throws Exception {
        cluster();
        server.put(SERVICES, service("lost", "10.96.0.13"));
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            server.stop();
            server.restore(500, SERVICES);
            server.put(SERVICES, service("restored", "10.96.0.14"));
            server.start();
            await(() -> shown(source).equals("{default/restored:http=[]}"));
            server.put(SLICES, slice("restored", "10.244.0.6"));
            await(() -> shown(source).equals("{default/restored:http=[10.244.0.6:8080]}"));
        }
    }

    /** No connection breaks, so that only the silence of the watch tells. */
    @Test
    void findsOutThatTheVersionWentBackWithoutACut() throws Exception {
        cluster();
        try (KubernetesSource source = start(limits(Duration.ofMillis(500), FAST.nodeWait(), 500))) {
            awaitWatches(3);
            server.restore(500);
            server.put(SLICES, slice("web", "10.244.0.8"));
            await(() -> shown(source).equals("{default/web:http=[10.244.0.8:8080]}"));
        }
    }

    @Test
    void doesNotStormAServerThatAlwaysSaysGone() throws Exception {
        cluster();
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            server.clearRequests();
            server.fail(SLICES, true, 6, 410, "", "");
            long before = System.nanoTime();
            server.endWatches();
            server.put(SLICES, slice("web", "10.244.0.3"));
            await(() -> shown(source).equals("{default/web:http=[10.244.0.3:8080]}"));
            await(() -> lists(SLICES).size() == 6);
            // Six waits of at least half of 20, 40, 80, 100, 100 and 100 ms.
            assertThat(System.nanoTime() - before).isGreaterThan(220_000_000L);
            assertThat(server.listsAtOnce()).isEqualTo(1);
        }
    }

    @Test
    void comesOutEqualAfterRandomFaults() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        server.put(NODES, NODE);
        WatchLimits small = limits(Duration.ofMillis(300), FAST.nodeWait(), 7);
        try (KubernetesSource source = start(small)) {
            awaitWatches(3);
            for (int i = 0; i < 400; i++) {
                String name = "s" + random.nextInt(20);
                switch (random.nextInt(18)) {
                    case 12 -> server.muteOpenWatches();
                    case 13 -> server.cutNextList(random.nextBoolean() ? SERVICES : SLICES);
                    case 14 -> server.expireNextPage();
                    case 15 -> server.bookmark();
                    case 16 -> server.fail(SLICES, true, 1, 410, "", "");
                    case 17 -> {
                        if (random.nextInt(5) == 0) {
                            server.stop();
                            server.start();
                        }
                    }
                    case 0 -> server.cutWatches();
                    case 1 -> server.compact();
                    case 2 -> server.endWatches();
                    case 3 ->
                        server.fail(random.nextBoolean() ? SERVICES : SLICES, random.nextBoolean(), 1, 500, "", "");
                    case 4, 5 -> server.delete(SERVICES, "default", name);
                    case 6, 7 -> server.delete(SLICES, "default", name + "-1");
                    case 8, 9 -> server.put(SERVICES, service(name, "10.96.2." + random.nextInt(250)));
                    default -> server.put(SLICES, slice(name, "10.244.0." + random.nextInt(250)));
                }
                if (random.nextInt(10) == 0) {
                    LockSupport.parkNanos(5_000_000);
                }
            }
            try (KubernetesSource fresh = new KubernetesSource(
                    ApiServerAccess.master(server.url()),
                    "n1",
                    KubernetesSource.Nodes.OWN,
                    Optional.empty(),
                    "",
                    FAST,
                    new Random(1),
                    InstantSource.system())) {
                fresh.start((snapshot, changed) -> {});
                awaitFor(
                        "seed " + seed,
                        () -> !fresh.snapshot().nodes().isEmpty()
                                && fresh.snapshot().equals(source.snapshot()));
            }
        }
        assertThat(server.listsAtOnce()).isLessThanOrEqualTo(2);
    }
}
