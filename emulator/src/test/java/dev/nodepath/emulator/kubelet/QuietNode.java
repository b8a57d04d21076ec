package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLContext;

/** A node in memory, with an API: Pods of the images {@code quiet} and {@code calm} run there without a process and without a port. */
final class QuietNode implements AutoCloseable {
    static final String NAME = "n1";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int HISTORY_MAX = 10_000;

    final FakeLinuxNet net = new FakeLinuxNet();
    final ScriptedCni cni = new ScriptedCni();
    final ClusterApi api = new ClusterApi(new ObjectStore(0, HISTORY_MAX), ObjectRules.NONE, InstantSource.system());
    final Path folder;
    final ClusterContext cluster;
    final KubeletNode node;
    volatile boolean connected = true;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final HttpServer leases;
    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(2);
    private final ExecutorService background = Executors.newCachedThreadPool();

    QuietNode(Path folder, int connectingMax) throws IOException, NoSuchAlgorithmException {
        this.folder = folder;
        this.leases = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        leases.createContext("/", exchange -> {
            exchange.sendResponseHeaders(connected ? 200 : 503, -1);
            exchange.close();
        });
        leases.start();
        String url = "http://127.0.0.1:" + leases.getAddress().getPort();
        ApiAccess access = new ApiAccess(url, "", SSLContext.getDefault());
        this.cluster = new ClusterContext(
                api,
                access,
                net,
                new BuiltInServers(loops, Map.of("quiet", namespace -> () -> {}, "calm", namespace -> () -> {})),
                folder,
                new Places(folder),
                new Semaphore(connectingMax),
                InstantSource.system());
        this.node = new KubeletNode(
                NAME, "172.30.0.11", net.create(NAME), folder.resolve("plugin"), new NodeFolder(folder.resolve(NAME)));
        ObjectNode namespace = JSON.createObjectNode();
        namespace.putObject("metadata").put("name", "default");
        api.create(Resources.NAMESPACES, namespace);
    }

    /** A kubelet that follows the API. */
    Kubelet kubelet() {
        Kubelet kubelet = new Kubelet(node, cluster, cni);
        kubelet.start();
        return kubelet;
    }

    /** A worker of a Pod, without a kubelet. */
    PodWorker worker(ObjectNode pod, NetworkNamespace nodeNamespace) {
        return new PodWorker(
                new NodeContext(
                        new KubeletNode(node.name(), node.address(), nodeNamespace, node.plugin(), node.files()),
                        cluster,
                        cni,
                        new PodEvents(api, NAME, InstantSource.system()),
                        new PodEnvironment(api),
                        timers,
                        background,
                        () -> connected),
                pod);
    }

    PodWorker worker(ObjectNode pod) {
        return worker(pod, node.namespace());
    }

    /** Creates a Pod on this node from a JSON spec in single quotes. */
    ObjectNode create(String name, String spec) throws IOException {
        ObjectNode pod = JSON.createObjectNode();
        pod.putObject("metadata").put("name", name).put("namespace", "default");
        ObjectNode fields = (ObjectNode) JSON.readTree(spec.replace('\'', '"'));
        pod.set("spec", fields.put("nodeName", NAME));
        return api.create(Resources.PODS, pod);
    }

    Optional<ObjectNode> find(String name) {
        return api.find(Resources.PODS, key(name));
    }

    boolean isReady(String name) {
        return find(name)
                .map(pod ->
                        pod.at("/status/conditions").findValuesAsText("status").size() == 4
                                && pod.path("status").toString().contains("\"type\":\"Ready\",\"status\":\"True\""))
                .orElse(false);
    }

    void delete(String name, long graceSeconds) {
        api.delete(Resources.PODS, key(name), new Deletion(OptionalLong.of(graceSeconds), "Background", "", ""));
    }

    long podNamespaces() {
        return net.names().stream().filter(name -> name.startsWith("cni-")).count();
    }

    static ObjectKey key(String name) {
        return new ObjectKey("default", name);
    }

    @Override
    public void close() {
        timers.shutdownNow();
        background.shutdownNow();
        leases.stop(0);
        var unused = loops.shutdownGracefully();
    }
}
