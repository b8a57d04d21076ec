package dev.nodepath.emulator.cluster;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.emulator.enclosure.JavaCommand;
import dev.nodepath.emulator.kubelet.BuiltInServers;
import dev.nodepath.emulator.kubelet.ClusterContext;
import dev.nodepath.emulator.kubelet.Kubelet;
import dev.nodepath.emulator.kubelet.KubeletNode;
import dev.nodepath.emulator.kubelet.KubeletStreams;
import dev.nodepath.emulator.kubelet.Places;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A running cluster: the network, the control plane, and on each node an agent and a kubelet. It lives inside an
 * enclosure, which removes what {@link #close} leaves.
 */
public final class Cluster implements AutoCloseable {
    /** The NFLOG group that the nodes tell of packets that NetworkPolicies refuse. */
    public static final int REFUSED_GROUP = 44;

    private static final Duration READINESS_MAX = Duration.ofSeconds(30);
    private static final Duration REMOVAL_MAX = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(5);
    private static final int SERVER_THREADS = 1;
    /** The most Pods that get their network at once: each execs the CNI plugin, which keeps a processor busy. */
    private static final int CONNECTING_MAX = Runtime.getRuntime().availableProcessors();

    private final Topology topology;
    private final LinuxNet net;
    private final ClusterFolder folder;
    private final ClusterNetwork network;
    private final ControlPlane control;
    private final Agents agents;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(SERVER_THREADS, EpollIoHandler.newFactory());
    private final Map<String, Kubelet> kubelets = new ConcurrentHashMap<>();
    private final List<Consumer<String>> powerListeners = new CopyOnWriteArrayList<>();
    private final Semaphore connecting = new Semaphore(CONNECTING_MAX);
    private final KubeletStreams streams;
    private final BalancerRoutes balancer;
    private final JavaCommand java;

    private Cluster(
            Topology topology,
            LinuxNet net,
            JavaCommand java,
            ClusterFolder folder,
            ClusterNetwork network,
            ControlPlane control,
            KubeletStreams streams,
            boolean keepsClientAddress) {
        this.java = java;
        this.streams = streams;
        this.topology = topology;
        this.net = net;
        this.folder = folder;
        this.network = network;
        this.control = control;
        this.agents = new Agents(topology, java, folder, net::path, keepsClientAddress);
        this.balancer = new BalancerRoutes(control.api(), network.nearNodes(), network::balance);
    }

    /**
     * Starts a cluster. When this returns its nodes are ready, and the topology's objects are in the API.
     *
     * @param root folder of its files
     * @param mode the proxy mode; empty for no proxy
     */
    public static Cluster start(Topology topology, LinuxNet net, JavaCommand java, Path root, Optional<ProxyMode> mode)
            throws IOException, InterruptedException {
        return start(topology, net, java, root, mode, false);
    }

    /**
     * As {@link #start(Topology, LinuxNet, JavaCommand, Path, Optional)}.
     *
     * @param keepsClientAddress whether proxies in userspace mode get {@code --keep-client-address}
     */
    public static Cluster start(
            Topology topology,
            LinuxNet net,
            JavaCommand java,
            Path root,
            Optional<ProxyMode> mode,
            boolean keepsClientAddress)
            throws IOException, InterruptedException {
        ClusterFolder folder = ClusterFolder.create(root);
        ClusterNetwork network = ClusterNetwork.build(net, topology);
        KubeletStreams streams = new KubeletStreams(folder.root());
        ControlPlane control =
                ControlPlane.start(topology, network.host(Topology.CLIENT), network.clientAddress(), folder, streams);
        Cluster cluster = new Cluster(topology, net, java, folder, network, control, streams, keepsClientAddress);
        try {
            cluster.agents.start(mode);
            cluster.addPlaces();
            for (NodeInfo node : topology.nodes()) {
                cluster.startKubelet(node.name());
            }
            cluster.agents.awaitNetwork(cluster::node);
            control.markNodesReady();
            control.apply(topology.objects());
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** The cluster's nodes and networks. */
    public Topology topology() {
        return topology;
    }

    /** The faults of the cluster itself, a line each. */
    public List<String> troubles() {
        return control.troubles();
    }

    /** Its objects. */
    public ClusterApi api() {
        return control.api();
    }

    /** The folder of its files. */
    Path folder() {
        return folder.root();
    }

    /** The namespace of a node. */
    public NetworkNamespace node(String name) {
        return network.host(name);
    }

    /** The namespace of the client outside the cluster. */
    public NetworkNamespace client() {
        return network.host(Topology.CLIENT);
    }

    /** The address of the client outside the cluster. */
    public IpAddress clientAddress() {
        return network.clientAddress();
    }

    /** The address of a node on the network between the nodes. */
    public IpAddress nodeAddress(String name) {
        return nodeInfo(name).addresses().get(0);
    }

    /** The address that a node has on its own pods' bridge: the one after the first of the podCIDR. */
    public IpAddress gatewayAddress(String name) {
        return nodeInfo(name).podCidrs().get(0).address().plus(1);
    }

    /** The network of a Pod in the Kubernetes namespace {@code default}. */
    public NetworkNamespace podNetwork(String name) {
        return podNetwork(key(name));
    }

    /** The network of a Pod. */
    public NetworkNamespace podNetwork(ObjectKey name) {
        Kubelet kubelet =
                kubelets.get(PodView.of(api().get(Resources.PODS, name)).node());
        if (kubelet == null) {
            throw new IllegalArgumentException("Pod " + name + " is on no node");
        }
        return kubelet.namespace(name);
    }

    /** A Pod in the Kubernetes namespace {@code default}. */
    public PodView pod(String name) {
        return PodView.of(api().get(Resources.PODS, key(name)));
    }

    /** All Pods, by namespace and name. */
    public List<PodView> pods() {
        return api().list(Resources.PODS, "").objects().stream()
                .map(PodView::of)
                .toList();
    }

    /** A Service in the Kubernetes namespace {@code default}. */
    public ServiceView service(String name) {
        return ServiceView.of(api().get(Resources.SERVICES, key(name)));
    }

    /**
     * Waits until every Pod is ready.
     *
     * @throws IOException if one is not within the limit
     */
    public void awaitReady() throws IOException, InterruptedException {
        for (PodView pod : pods()) {
            awaitReadiness(pod.name(), true);
        }
    }

    /**
     * Waits until a Pod has the given readiness and its EndpointSlices show it.
     *
     * @return the trigger time of the newest EndpointSlices; empty if no Service has a selector
     */
    public Optional<Instant> awaitReadiness(String name, boolean ready) throws IOException, InterruptedException {
        PublishedEndpoints published = new PublishedEndpoints(api());
        long deadline = System.nanoTime() + READINESS_MAX.toNanos();
        PodView pod = pod(name);
        while (pod.ready() != ready || !published.show(pod, ready)) {
            if (System.nanoTime() > deadline) {
                throw new IOException("pod " + name + " did not turn " + (ready ? "ready" : "unready") + " within "
                        + READINESS_MAX.toSeconds() + " s");
            }
            Thread.sleep(POLL.toMillis());
            pod = pod(name);
        }
        return published.lastTrigger();
    }

    /** Restarts the agents with proxies in this mode, and waits until each has programmed the newest EndpointSlices. */
    public void switchTo(ProxyMode mode) throws IOException, InterruptedException {
        agents.start(Optional.of(mode));
        awaitProgrammed(lastTrigger());
    }

    /** As {@link #switchTo(ProxyMode)}, for one node alone. Its agent may have ended. */
    public void switchTo(String node, ProxyMode mode) throws IOException, InterruptedException {
        agents.start(node, mode);
        agents.awaitProgrammed(node, lastTrigger());
    }

    /** As {@link #switchTo(ProxyMode)}, and chooses from now on whether they get {@code --keep-client-address}. */
    public void switchTo(ProxyMode mode, boolean keepsClientAddress) throws IOException, InterruptedException {
        agents.start(mode, keepsClientAddress);
        awaitProgrammed(lastTrigger());
    }

    /**
     * Takes the power from a node: its uplink, its agent, its kubelet and its kernel's state are gone at once. The
     * cluster notices it by the Lease, which is not renewed.
     */
    public synchronized void cutPower(String node) throws IOException, InterruptedException {
        network.cut(node, () -> {
            agents.cut(node);
            Optional.ofNullable(kubelets.get(node)).ifPresent(Kubelet::lose);
        });
        powerListeners.forEach(listener -> listener.accept(node));
    }

    /**
     * Gives a node its power back. When this returns its agent has synced; its Pods start anew.
     *
     * @throws IOException if it does not start; it then stays without power
     */
    public synchronized void restorePower(String node) throws IOException, InterruptedException {
        try {
            folder.node(node).forgetRun();
            network.connectAgain(nodeInfo(node));
            agents.startAgain(node);
            powerListeners.forEach(listener -> listener.accept(node));
            agents.awaitNetwork(node, network.host(node));
            startKubelet(node);
            agents.awaitProgrammed(node, lastTrigger());
        } catch (IOException | InterruptedException e) {
            cutPower(node);
            throw e;
        }
    }

    /**
     * Has a listener called with the node's name when it has lost its power, or got it again. The node then has
     * another namespace.
     */
    public void onPower(Consumer<String> listener) {
        powerListeners.add(listener);
    }

    /** The agents of the nodes. */
    public Agents agents() {
        return agents;
    }

    /**
     * Waits until every node's proxy has programmed the EndpointSlices with this trigger time; empty waits for the
     * first sync.
     */
    public void awaitProgrammed(Optional<Instant> trigger) throws IOException, InterruptedException {
        agents.awaitProgrammed(trigger);
    }

    /** The trigger time of the newest EndpointSlices; empty while there are none. */
    public Optional<Instant> lastTrigger() {
        return new PublishedEndpoints(api()).lastTrigger();
    }

    /**
     * Waits until all Pods of all workloads are ready. Gives up when no further Pod will be ({@link StartPatience}).
     *
     * @param progress gets a line now and then while that takes long
     * @return a line for each Pod that is not ready
     */
    public List<String> notReady(Consumer<String> progress) throws InterruptedException {
        return new Rollouts(api(), () -> Duration.ofNanos(System.nanoTime())).await(progress);
    }

    /** Ends a Pod at once and removes its network. */
    public void removePod(ObjectKey pod) throws IOException, InterruptedException {
        Kubelet kubelet =
                kubelets.get(PodView.of(api().get(Resources.PODS, pod)).node());
        api().delete(Resources.PODS, pod, Deletion.NOW);
        if (kubelet != null) {
            await("end of pod " + PodView.shown(pod), () -> !kubelet.runs(pod));
        }
    }

    /**
     * Ends every Pod at once and removes its network. The controllers make no new ones.
     *
     * @return the Pods' leftovers on the nodes; empty if the CNI plugin removed everything
     */
    public List<String> removePods() throws IOException, InterruptedException {
        control.stopControllers();
        for (PodView pod : pods()) {
            api().delete(Resources.PODS, pod.key(), Deletion.NOW);
        }
        await("end of all pods", () -> kubelets.values().stream().noneMatch(Kubelet::isBusy));
        List<String> left = new ArrayList<>();
        for (String node : kubelets.keySet()) {
            new Leftovers(node(node), folder.node(node)).find().forEach(each -> left.add(node + ": " + each));
        }
        return left;
    }

    @Override
    public void close() {
        control.stopControllers();
        kubelets.values().forEach(Kubelet::close);
        agents.close();
        balancer.close();
        control.close();
        network.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private void addPlaces() throws IOException {
        Places places = new Places(folder.root());
        for (String host : network.names()) {
            places.addHost(host, net.path(host));
        }
    }

    private void startKubelet(String name) {
        KubeletNode node = new KubeletNode(
                name, nodeAddress(name).toString(), network.host(name), java.plugin(), folder.node(name));
        Kubelet kubelet = new Kubelet(node, parts());
        kubelets.put(name, kubelet);
        streams.add(name, kubelet);
        kubelet.start();
    }

    private ClusterContext parts() {
        return new ClusterContext(
                api(),
                control.access(),
                net,
                new BuiltInServers(loops, control.servers(loops)),
                folder.root(),
                new Places(folder.root()),
                connecting,
                InstantSource.system());
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(String what, Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + REMOVAL_MAX.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new IOException("no " + what + " within " + REMOVAL_MAX.toSeconds() + " s");
            }
            Thread.sleep(POLL.toMillis());
        }
    }

    private static ObjectKey key(String name) {
        return new ObjectKey("default", name);
    }

    private NodeInfo nodeInfo(String name) {
        return topology.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no node " + name));
    }
}
