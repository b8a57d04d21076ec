package dev.nodepath.emulator.cluster;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.routes.PodRoutes;
import dev.nodepath.emulator.enclosure.JavaCommand;
import dev.nodepath.emulator.kubelet.NodeFolder;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The agent of each node. Each node may have a mode of its own. */
public final class Agents implements AutoCloseable {
    /** No proxy. */
    static final String NONE = "none";

    /** The mode of a cluster whose proxies run in different modes. */
    static final String MIXED = "mixed";

    private static final Duration START_MAX = Duration.ofMinutes(3);
    private static final Duration SYNC_MAX = Duration.ofMinutes(2);

    private final Topology topology;
    private final JavaCommand java;
    private final ClusterFolder folder;
    private final Function<String, Path> namespaces;
    private volatile boolean keepsClientAddress;
    private final Map<String, AgentProcess> running = new ConcurrentHashMap<>();
    private final Map<String, String> modes = new ConcurrentHashMap<>();
    /** Nodes without power; their agents start when the power is back. */
    private final Set<String> cut = ConcurrentHashMap.newKeySet();
    /** Nodes on which an agent is about to start. */
    private final Set<String> starting = ConcurrentHashMap.newKeySet();

    private final List<Consumer<String>> syncListeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<String>> endListeners = new CopyOnWriteArrayList<>();

    /**
     * No agent runs yet.
     *
     * @param namespaces the file of a node's network namespace, by its name
     * @param keepsClientAddress whether proxies in userspace mode get {@code --keep-client-address}
     */
    Agents(
            Topology topology,
            JavaCommand java,
            ClusterFolder folder,
            Function<String, Path> namespaces,
            boolean keepsClientAddress) {
        this.keepsClientAddress = keepsClientAddress;
        this.topology = topology;
        this.java = java;
        this.folder = folder;
        this.namespaces = namespaces;
    }

    /**
     * Starts an agent on each node, in place of the one that runs.
     *
     * @param mode the proxy mode; empty for no proxy
     */
    synchronized void start(Optional<ProxyMode> mode) throws IOException {
        String text = mode.map(ProxyMode::toString).orElse(NONE);
        topology.nodes().stream().map(NodeInfo::name).filter(this::hasPower).forEach(starting::add);
        try {
            close();
            for (NodeInfo node : topology.nodes()) {
                if (hasPower(node.name())) {
                    start(node.name(), text);
                } else {
                    modes.put(node.name(), text);
                }
            }
        } finally {
            starting.clear();
        }
    }

    /** Starts the agent of one node, in place of the one that runs. */
    void start(String node, ProxyMode mode) throws IOException {
        start(node, mode.toString());
    }

    /** One at a time: two would each put an agent in the place of the same one. */
    private synchronized void start(String node, String mode) throws IOException {
        if (!hasPower(node)) {
            throw new IOException("node " + node + " has no power (expected: a node that runs)");
        }
        starting.add(node);
        try {
            AgentProcess before = running.get(node);
            if (before != null) {
                before.close();
            }
            modes.put(node, mode);
            Path log = folder.log("agent-" + node + "-" + mode);
            running.put(
                    node,
                    AgentProcess.start(
                            java,
                            node,
                            namespaces.apply(node),
                            flags(node, mode),
                            log,
                            () -> syncListeners.forEach(listener -> listener.accept(node)),
                            () -> endListeners.forEach(listener -> listener.accept(node))));
        } finally {
            starting.remove(node);
        }
    }

    /** Ends the agent of a node as {@code kill -9} does. Its rules and routes stay in the kernel. */
    public void kill(String node) throws InterruptedException {
        AgentProcess agent = running.get(node);
        if (agent != null) {
            agent.kill();
        }
    }

    /** As {@link #start(Optional)}, and chooses from now on whether proxies get {@code --keep-client-address}. */
    void start(ProxyMode mode, boolean keepsAddress) throws IOException {
        keepsClientAddress = keepsAddress;
        start(Optional.of(mode));
    }

    /** Ends the agent of a node that loses its power. No agent runs there until {@link #startAgain}. */
    void cut(String node) throws InterruptedException {
        cut.add(node);
        kill(node);
        running.remove(node);
    }

    /** Starts the agent of a node that has power again, in the node's current mode. */
    void startAgain(String node) throws IOException {
        cut.remove(node);
        start(node, mode(node));
    }

    public boolean hasPower(String node) {
        return !cut.contains(node);
    }

    private List<String> flags(String node, String mode) {
        NodeFolder files = folder.node(node);
        List<String> flags = new ArrayList<>(List.of(
                "agent",
                "--mode=" + mode,
                "--kubeconfig=" + folder.kubeconfig(),
                "--hostname-override=" + node,
                "--cluster-cidr="
                        + topology.clusterCidrs().stream().map(Cidr::toString).collect(Collectors.joining(",")),
                "--install=false",
                "--print-syncs",
                "--network-policy-log-group=" + Cluster.REFUSED_GROUP,
                "--cni-socket=" + files.socket(),
                "--cni-conf-dir=" + files.configurations(),
                "--cni-bin-dir=" + files.plugins(),
                // When memory is short the kernel must end the demonstration and not other programs.
                "--oom-score-adj=0"));
        if (keepsClientAddress && mode.equals(ProxyMode.USERSPACE.toString())) {
            flags.add("--keep-client-address");
        }
        return flags;
    }

    /** Waits until every node can wire pods and has routes to the pods of all other nodes. */
    void awaitNetwork(Function<String, NetworkNamespace> hosts) throws IOException, InterruptedException {
        for (String node : running.keySet()) {
            awaitNetwork(node, hosts.apply(node));
        }
    }

    /** As {@link #awaitNetwork(Function)}, for one node. */
    void awaitNetwork(String node, NetworkNamespace host) throws IOException, InterruptedException {
        AgentProcess agent = agent(node);
        NodeFolder files = folder.node(node);
        Set<Cidr> others = podCidrsOfOthers(node);
        agent.await("pod network", () -> Files.exists(files.socket()) && Files.exists(files.conflist()), START_MAX);
        agent.await("routes to " + others, () -> routed(host).containsAll(others), START_MAX);
    }

    private AgentProcess agent(String node) throws IOException {
        AgentProcess agent = running.get(node);
        if (agent == null) {
            throw new IOException("node " + node + " has no agent");
        }
        return agent;
    }

    private static Set<Cidr> routed(NetworkNamespace host) throws IOException {
        Set<Cidr> routed = new HashSet<>();
        host.listedRoutes().stream()
                .filter(each -> each.options().protocol().equals(Optional.of(PodRoutes.PROTOCOL)))
                .forEach(each -> routed.add(each.route().destination()));
        return routed;
    }

    private Set<Cidr> podCidrsOfOthers(String node) {
        return topology.nodes().stream()
                .filter(other -> !other.name().equals(node))
                .flatMap(other -> other.podCidrs().stream())
                .collect(Collectors.toSet());
    }

    /**
     * Waits until every node's proxy has programmed the EndpointSlices with this trigger time; empty waits for the
     * first sync.
     */
    void awaitProgrammed(Optional<Instant> trigger) throws IOException, InterruptedException {
        for (AgentProcess agent : running.values()) {
            agent.awaitSynced(trigger, SYNC_MAX);
        }
    }

    /** As {@link #awaitProgrammed(Optional)}, for one node. */
    void awaitProgrammed(String node, Optional<Instant> trigger) throws IOException, InterruptedException {
        agent(node).awaitSynced(trigger, SYNC_MAX);
    }

    /** Has a listener called with the node's name after each sync, by the reader of the log. It must return at once. */
    public void onSync(Consumer<String> listener) {
        syncListeners.add(listener);
    }

    /** Has a listener called with the node's name when an agent has ended. It must return at once. */
    public void onEnd(Consumer<String> listener) {
        endListeners.add(listener);
    }

    /** The mode of all proxies: {@code mixed} if they run in different ones, {@code none} if there is none. */
    public String mode() {
        List<String> all = modes.values().stream().distinct().toList();
        return all.isEmpty() ? NONE : all.size() > 1 ? MIXED : all.get(0);
    }

    /** The mode of the proxy on one node, as {@link #mode()} tells it. */
    public String mode(String node) {
        return modes.getOrDefault(node, NONE);
    }

    /** Whether proxies in userspace mode get {@code --keep-client-address}. */
    public boolean keepsClientAddress() {
        return keepsClientAddress;
    }

    /** The last sync of a node's proxy; empty before the first. */
    public Optional<ProxySync> lastSync(String node) {
        return Optional.ofNullable(running.get(node)).flatMap(AgentProcess::lastSync);
    }

    /** The state of a node's agent. */
    public AgentState state(String node) {
        // Read first: otherwise an agent that starts between the two reads would look ended.
        boolean starts = starting.contains(node);
        AgentProcess agent = running.get(node);
        if (agent != null && agent.isAlive()) {
            return AgentState.RUNS;
        }
        return starts ? AgentState.STARTS : AgentState.ENDED;
    }

    /** Whether the agent of a node runs. */
    public boolean isAlive(String node) {
        return state(node) == AgentState.RUNS;
    }

    /** Ends the agents. Rules and routes stay, as on a real node. */
    @Override
    public void close() {
        running.values().forEach(AgentProcess::askToEnd);
        running.values().forEach(AgentProcess::close);
        running.clear();
    }
}
