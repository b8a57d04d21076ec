package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.NODES;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SERVICES;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SLICES;

import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SkippedObjects;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.linux.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A server, the publications and the log of a source for it, and a small cluster. */
public abstract class KubernetesSourceFixture {
    static final Duration LIMIT = Duration.ofMinutes(5);
    public static final WatchLimits FAST = TestApiServer.FAST;

    @TempDir
    Path folder;

    public final TestApiServer server = new TestApiServer();
    final LogCapture log = new LogCapture(Reflector.class);
    final LogCapture sourceLog = new LogCapture(KubernetesSource.class);
    final LogCapture skips = new LogCapture(SkippedObjects.class);
    public final BlockingQueue<ServiceSnapshot> snapshots = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        server.close();
        log.close();
        sourceLog.close();
        skips.close();
    }

    void cluster() {
        server.put(SERVICES, service("web", "10.96.0.10"));
        server.put(SLICES, slice("web", "10.244.0.2"));
        server.put(NODES, NODE);
    }

    KubernetesSource source(WatchLimits limits) throws SourceException {
        return new KubernetesSource(
                ApiServerAccess.master(server.url()),
                "n1",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                limits,
                new Random(1),
                InstantSource.system());
    }

    KubernetesSource start(WatchLimits limits) throws SourceException {
        KubernetesSource source = source(limits);
        source.start((snapshot, changed) -> snapshots.add(snapshot));
        return source;
    }

    static WatchLimits limits(Duration silence, Duration nodeWait, int pageSize) {
        return new WatchLimits(pageSize, FAST.answer(), silence, FAST.watch(), FAST.retry(), nodeWait);
    }

    List<SeenRequest> lists() {
        return server.requests().stream().filter(SeenRequest::isList).toList();
    }

    List<SeenRequest> lists(String path) {
        return lists().stream().filter(request -> request.path().equals(path)).toList();
    }

    void awaitWatches(int count) {
        await(() -> server.requests().stream().filter(SeenRequest::isWatch).count() >= count && !snapshots.isEmpty());
    }

    /** Each service port with its endpoints; unready ones have a mark. */
    static String shown(KubernetesSource source) {
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

    static void await(Callable<Boolean> condition) {
        awaitFor("the condition", condition);
    }

    static void awaitFor(String what, Callable<Boolean> condition) {
        Eventually.isTrue(LIMIT.multipliedBy(4), () -> what, condition);
    }

    static final String NODE = """
            {"metadata":{"name":"n1","labels":{"topology.kubernetes.io/zone":"a"}},"spec":{"podCIDRs":["10.244.0.0/24"]},\
            "status":{"addresses":[{"type":"InternalIP","address":"172.30.0.1"}]}}""";

    static String service(String name, String ip) {
        return """
                {"metadata":{"namespace":"default","name":"%s","labels":{"app":"%1$s"}},"spec":{"clusterIP":"%s",\
                "type":"ClusterIP","ports":[{"name":"http","port":80,"protocol":"TCP"}]}}""".formatted(name, ip);
    }

    static String slice(String service, String ip) {
        return """
                {"metadata":{"namespace":"default","name":"%s-1","labels":{"kubernetes.io/service-name":"%1$s"}},\
                "addressType":"IPv4","endpoints":[{"addresses":["%s"],"conditions":{"ready":true},"nodeName":"n1"}],\
                "ports":[{"name":"http","port":8080,"protocol":"TCP"}]}""".formatted(service, ip);
    }
}
