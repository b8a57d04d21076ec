package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.FakeApiServer.ENDPOINTS;
import static dev.nodepath.endpoints.source.kubernetes.FakeApiServer.NODES;
import static dev.nodepath.endpoints.source.kubernetes.FakeApiServer.SERVICES;
import static dev.nodepath.endpoints.source.kubernetes.FakeApiServer.SLICES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.SourceStats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubernetesSourceTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final WatchLimits FAST = new WatchLimits(
            500,
            Duration.ofSeconds(5),
            Duration.ofSeconds(20),
            Duration.ofSeconds(60),
            Duration.ofMillis(20),
            Duration.ofMillis(100),
            Duration.ofSeconds(20));

    @TempDir
    private Path folder;

    private final FakeApiServer server = new FakeApiServer();
    private final LogCapture log = new LogCapture(Reflector.class);
    private final LogCapture sourceLog = new LogCapture(KubernetesSource.class);
    private final LogCapture skips = new LogCapture(SkippedObjects.class);
    private final BlockingQueue<ServiceSnapshot> snapshots = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        server.close();
        log.close();
        sourceLog.close();
        skips.close();
    }

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
            List<FakeRequest> watches = server.requests().stream()
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
            await(() -> shown(source).equals("{default/web:http=[10.244.0.4:8080]}"));
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
        try (KubernetesSource source = new KubernetesSource(access, "n1", "", FAST, new Random(1), Clock.systemUTC())) {
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
            server.forget(SERVICES);
            server.goBackTo(500);
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
            server.goBackTo(500);
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
    void comesOutEqualAfterRandomFaults() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        server.put(NODES, NODE);
        try (KubernetesSource source = start(FAST)) {
            awaitWatches(3);
            for (int i = 0; i < 300; i++) {
                String name = "s" + random.nextInt(20);
                switch (random.nextInt(12)) {
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
                    ApiServerAccess.master(server.url()), "n1", "", FAST, new Random(1), Clock.systemUTC())) {
                fresh.start((snapshot, changed) -> {});
                awaitFor(
                        "seed " + seed,
                        () -> !fresh.snapshot().nodes().isEmpty()
                                && fresh.snapshot().equals(source.snapshot()));
            }
        }
        assertThat(server.listsAtOnce()).isLessThanOrEqualTo(2);
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

    private void cluster() {
        server.put(SERVICES, service("web", "10.96.0.10"));
        server.put(SLICES, slice("web", "10.244.0.2"));
        server.put(NODES, NODE);
    }

    private KubernetesSource source(WatchLimits limits) throws SourceException {
        return new KubernetesSource(
                ApiServerAccess.master(server.url()), "n1", "", limits, new Random(1), Clock.systemUTC());
    }

    private KubernetesSource start(WatchLimits limits) throws SourceException {
        KubernetesSource source = source(limits);
        source.start((snapshot, changed) -> snapshots.add(snapshot));
        return source;
    }

    private static WatchLimits limits(Duration silence, Duration nodeWait, int pageSize) {
        return new WatchLimits(
                pageSize, FAST.answer(), silence, FAST.watch(), FAST.backoffMin(), FAST.backoffMax(), nodeWait);
    }

    private List<FakeRequest> lists() {
        return server.requests().stream().filter(FakeRequest::isList).toList();
    }

    private List<FakeRequest> lists(String path) {
        return lists().stream().filter(request -> request.path().equals(path)).toList();
    }

    private void awaitWatches(int count) {
        await(() -> server.requests().stream().filter(FakeRequest::isWatch).count() >= count && !snapshots.isEmpty());
    }

    /** Each service port with its endpoints, those that are not ready with a mark. */
    private static String shown(KubernetesSource source) {
        Map<String, List<String>> shown = new TreeMap<>();
        ServiceSnapshot snapshot = source.snapshot();
        snapshot.services()
                .keySet()
                .forEach(name -> shown.put(
                        name.toString(),
                        snapshot.endpoints().getOrDefault(name, List.of()).stream()
                                .map(endpoint -> (endpoint.ready() ? "" : "!") + endpoint.hostAndPort())
                                .toList()));
        return shown.toString();
    }

    private static void await(BooleanSupplier condition) {
        awaitFor("the condition", condition);
    }

    private static void awaitFor(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("%s holds within %s", what, LIMIT).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static final String NODE = """
            {"metadata":{"name":"n1","labels":{"topology.kubernetes.io/zone":"a"}},"spec":{"podCIDRs":["10.244.0.0/24"]},\
            "status":{"addresses":[{"type":"InternalIP","address":"172.30.0.1"}]}}""";

    private static String service(String name, String ip) {
        return """
                {"metadata":{"namespace":"default","name":"%s","labels":{"app":"%1$s"}},"spec":{"clusterIP":"%s",\
                "type":"ClusterIP","ports":[{"name":"http","port":80,"protocol":"TCP"}]}}""".formatted(name, ip);
    }

    private static String slice(String service, String ip) {
        return """
                {"metadata":{"namespace":"default","name":"%s-1","labels":{"kubernetes.io/service-name":"%1$s"}},\
                "addressType":"IPv4","endpoints":[{"addresses":["%s"],"conditions":{"ready":true},"nodeName":"n1"}],\
                "ports":[{"name":"http","port":8080,"protocol":"TCP"}]}""".formatted(service, ip);
    }
}
