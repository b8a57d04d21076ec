package dev.nodepath.emulator.cluster;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.enclosure.JavaCommand;
import dev.nodepath.emulator.topology.PodSpec;
import dev.nodepath.emulator.topology.Topology;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A running cluster: the network, the pods in it, the controller that turns their readiness into EndpointSlices, and an
 * agent on each node. It lives inside an enclosure, which removes what {@link #close} leaves.
 */
public final class Cluster implements AutoCloseable {
    private static final Duration READINESS_MAX = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(5);
    private static final int SERVER_THREADS = 1;
    private static final int POD_WORKERS = Runtime.getRuntime().availableProcessors();

    private final Topology topology;
    private final LinuxNet net;
    private final JavaCommand java;
    private final ClusterFolder folder;
    private final Fabric fabric;
    private final EndpointsController controller;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(SERVER_THREADS, EpollIoHandler.newFactory());
    private final Map<String, Kubelet> kubelets = new LinkedHashMap<>();
    private final Map<String, RunningPod> pods = new ConcurrentSkipListMap<>();
    private final Map<String, ReadinessProber> probers = new LinkedHashMap<>();
    private final NodeLeases leases = new NodeLeases(System::nanoTime);
    private final Agents agents;
    private Optional<NodeWatch> nodeWatch = Optional.empty();

    private Cluster(Topology topology, LinuxNet net, JavaCommand java, ClusterFolder folder, Fabric fabric) {
        this.topology = topology;
        this.net = net;
        this.java = java;
        this.folder = folder;
        this.fabric = fabric;
        this.controller = new EndpointsController(topology.services(), folder.manifests(), Clock.systemUTC());
        this.agents = new Agents(topology, java, folder, net::path);
    }

    /**
     * Starts a cluster. When this returns its pods run, and probes of their readiness have begun.
     *
     * @param root folder of its files
     * @param mode the proxy mode; empty for no proxy
     */
    public static Cluster start(Topology topology, LinuxNet net, JavaCommand java, Path root, Optional<ProxyMode> mode)
            throws IOException, InterruptedException {
        ClusterFolder folder = ClusterFolder.create(root);
        Files.writeString(folder.manifests().resolve("topology.yaml"), manifests(topology));
        Cluster cluster = new Cluster(topology, net, java, folder, Fabric.build(net, topology));
        try {
            cluster.agents.start(mode);
            cluster.prepareNodes();
            cluster.agents.awaitNetwork(cluster::node);
            cluster.runPods();
            cluster.probe();
            cluster.watchNodes();
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** The cluster's topology. */
    public Topology topology() {
        return topology;
    }

    /** The folder of its files. */
    Path folder() {
        return folder.root();
    }

    /** The namespace of a node. */
    public NetworkNamespace node(String name) {
        return fabric.host(name);
    }

    /** The namespace of the client outside the cluster. */
    public NetworkNamespace client() {
        return fabric.host(Topology.CLIENT);
    }

    /** The address of the client outside the cluster. */
    public IpAddress clientAddress() {
        return fabric.clientAddress();
    }

    /** The address of a node on the network between the nodes. */
    public IpAddress nodeAddress(String name) {
        return nodeInfo(name).addresses().get(0);
    }

    /** The address that a node has on its own pods' bridge: the one after the first of the podCIDR. */
    public IpAddress gatewayAddress(String name) {
        return nodeInfo(name).podCidrs().get(0).address().plus(1);
    }

    /** The namespace of a pod. */
    public NetworkNamespace pod(String name) {
        return running(name).namespace();
    }

    /** The address of a pod. */
    public IpAddress podAddress(String name) {
        return running(name).address();
    }

    /** All pods with their readiness, by name. */
    public List<PodStatus> pods() {
        return controller.pods();
    }

    /**
     * Waits until every pod is ready.
     *
     * @throws IOException if one is not within the limit
     */
    public void awaitReady() throws IOException, InterruptedException {
        for (String pod : pods.keySet()) {
            awaitReadiness(pod, true);
        }
    }

    /**
     * Waits until a pod has the given readiness and its EndpointSlices show it.
     *
     * @return the trigger time of the newest EndpointSlices; empty if no Service has a selector
     */
    public Optional<Instant> awaitReadiness(String pod, boolean ready) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + READINESS_MAX.toNanos();
        while (controller.pods().stream()
                .noneMatch(each -> each.spec().name().name().equals(pod) && each.ready() == ready)) {
            if (System.nanoTime() > deadline) {
                throw new IOException("pod " + pod + " did not turn " + (ready ? "ready" : "unready") + " within "
                        + READINESS_MAX.toSeconds() + " s");
            }
            Thread.sleep(POLL.toMillis());
        }
        return controller.lastTrigger();
    }

    /** Restarts the agents with proxies in this mode, and waits until each has programmed the newest EndpointSlices. */
    public void switchTo(ProxyMode mode) throws IOException, InterruptedException {
        agents.start(Optional.of(mode));
        awaitProgrammed(controller.lastTrigger());
    }

    /** Waits until every node's proxy has programmed the EndpointSlices with this trigger time; empty waits for the first sync. */
    public void awaitProgrammed(Optional<Instant> trigger) throws IOException, InterruptedException {
        agents.awaitProgrammed(trigger);
    }

    /** The trigger time of the newest EndpointSlices; empty while there are none. */
    public Optional<Instant> lastTrigger() {
        return controller.lastTrigger();
    }

    /** Whether the agent of a node runs. */
    boolean isAgentAlive(String node) {
        return agents.isAlive(node);
    }

    /** The nodes whose lease has expired. */
    Set<String> lostNodes() {
        return leases.expired();
    }

    /**
     * Waits for all pods to be ready, but no longer than this.
     *
     * @return a line for each pod that is not ready, with the end of its log
     */
    public List<String> notReady(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!isReady() && System.nanoTime() < deadline) {
            Thread.sleep(POLL.toMillis());
        }
        return controller.pods().stream()
                .filter(pod -> !pod.ready())
                .map(pod -> "pod " + pod.spec().name().name() + " is not ready: "
                        + running(pod.spec().name().name()).lastOutput())
                .toList();
    }

    private boolean isReady() {
        List<PodStatus> known = controller.pods();
        return known.size() == pods.size() && known.stream().allMatch(PodStatus::ready);
    }

    /** Starts one more pod and begins to probe it. */
    public void addPod(PodSpec pod) throws IOException, InterruptedException {
        RunningPod started = kubelet(pod.node()).run(pod);
        pods.put(pod.name().name(), started);
        prober(pod.node()).add(started);
    }

    /**
     * Begins to end a pod: its endpoints are terminating, and it serves until {@link #removePod}.
     *
     * @return the trigger time of the newest EndpointSlices; empty if no Service has a selector
     */
    public Optional<Instant> terminatePod(String pod) throws IOException {
        controller.terminate(running(pod).spec().name());
        return controller.lastTrigger();
    }

    /** Ends a pod and removes its network. */
    public void removePod(String pod) throws IOException, InterruptedException {
        RunningPod removed = running(pod);
        prober(removed.spec().node()).remove(removed);
        pods.remove(pod);
        kubelet(removed.spec().node()).remove(removed);
        controller.remove(removed.spec().name());
    }

    /**
     * Ends every pod and removes its network.
     *
     * @return what the pods left on the nodes; empty if the CNI plugin removed everything
     */
    public List<String> removePods() throws IOException, InterruptedException {
        probers.values().forEach(ReadinessProber::close);
        probers.clear();
        try {
            ConcurrentWork.forEach(
                    pod -> kubelet(pod.spec().node()).remove(pod), List.copyOf(pods.values()), POD_WORKERS);
        } finally {
            pods.clear();
        }
        List<String> left = new ArrayList<>();
        for (Map.Entry<String, Kubelet> kubelet : kubelets.entrySet()) {
            kubelet.getValue().leftovers().forEach(each -> left.add(kubelet.getKey() + ": " + each));
        }
        return left;
    }

    @Override
    public void close() {
        nodeWatch.ifPresent(NodeWatch::close);
        probers.values().forEach(ReadinessProber::close);
        pods.values().forEach(RunningPod::stop);
        agents.close();
        fabric.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** The agents follow all objects but Pods, as on a real node. Most objects are Pods, and each agent would read them all. */
    private static String manifests(Topology topology) {
        return topology.objects().stream()
                .filter(object -> !object.is("", "Pod"))
                .map(ManifestObject::toJson)
                .collect(Collectors.joining("\n---\n", "", "\n"));
    }

    private void prepareNodes() throws IOException {
        for (NodeInfo node : topology.nodes()) {
            String name = node.name();
            NodeFolder files = folder.node(name);
            CniRuntime cni = new CniRuntime(java.plugin(), net.path(name), files.conflist(), files.socket());
            kubelets.put(name, new Kubelet(net, fabric.host(name), cni, files, folder, loops));
        }
        for (String host : fabric.names()) {
            folder.nameNamespace(host, net.path(host));
        }
    }

    private void runPods() throws IOException, InterruptedException {
        ConcurrentWork.forEach(
                pod -> pods.put(pod.name().name(), kubelet(pod.node()).run(pod)), topology.pods(), POD_WORKERS);
    }

    /** The first probes of all pods are one change for the agents, not one for each pod. */
    private void probe() throws IOException, InterruptedException {
        for (NodeInfo node : topology.nodes()) {
            List<RunningPod> ofNode = pods.values().stream()
                    .filter(pod -> pod.spec().node().equals(node.name()))
                    .toList();
            probers.put(node.name(), new ReadinessProber(node.name(), fabric.host(node.name()), ofNode, controller));
        }
        Queue<PodStatus> found = new ConcurrentLinkedQueue<>();
        ConcurrentWork.forEach(prober -> found.addAll(prober.first()), List.copyOf(probers.values()), probers.size());
        controller.update(found);
        probers.values().forEach(ReadinessProber::start);
    }

    private void watchNodes() throws IOException {
        List<String> names = topology.nodes().stream().map(NodeInfo::name).toList();
        nodeWatch = Optional.of(NodeWatch.start(names, this::node, client(), clientAddress(), leases, controller));
    }

    private Kubelet kubelet(String node) {
        return Objects.requireNonNull(kubelets.get(node), () -> "no node " + node);
    }

    private ReadinessProber prober(String node) {
        return Objects.requireNonNull(probers.get(node), () -> "no node " + node);
    }

    private RunningPod running(String pod) {
        return Objects.requireNonNull(pods.get(pod), () -> "no pod " + pod);
    }

    private NodeInfo nodeInfo(String name) {
        return topology.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no node " + name));
    }
}
