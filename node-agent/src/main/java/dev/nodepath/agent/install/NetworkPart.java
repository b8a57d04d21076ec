package dev.nodepath.agent.install;

import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.cluster.PodMtu;
import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs the node's pod network for the container runtime: first the plugin, then the configuration as soon as the
 * Node has podCIDRs. It checks both at an interval. It never removes a configuration.
 */
public final class NetworkPart implements Part {
    /** The interval of checks of the runtime's folder. */
    static final Duration LOOK = Duration.ofSeconds(5);

    private static final Duration LOOK_WAITING = Duration.ofMillis(100);

    /** The longest wait of the first configuration for the MTU of the routes, from the time that the Node is known. */
    private static final Duration MTU_WAIT = Duration.ofSeconds(2);

    /** The longest wait for the MTU of the routes if a configuration of an earlier run exists. */
    private static final Duration MTU_WAIT_STANDING = Duration.ofSeconds(30);

    /** How long a Node may be without podCIDRs before a notice. */
    private static final Duration POD_CIDR_WAIT = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(NetworkPart.class);

    private final NetworkSettings settings;
    private final Optional<PluginInstallation> installation;
    private final BridgeNetfilterModule netfilter;
    private final PodSources sources;
    private final Gateways gateways;
    private final Supplier<Optional<NodeInfo>> node;
    private final Supplier<PodMtu> podMtu;
    private final Notices notices;
    private final ConflistFile file;
    private final Portmap portmap;
    private final ClassDataArchive archive;
    private final LongSupplier nanoTime;
    private volatile boolean first;

    /** Whether the kernel has reported that it can check pods' sources. Only the part's thread uses it. */
    private boolean canCheckSources;

    /** The last known MTU; only the part's thread uses it. */
    private Optional<Integer> lastMtu = Optional.empty();

    /** Checks that pods send only with their own addresses. */
    public interface PodSources {
        /**
         * Why the kernel cannot check them; empty if it can.
         *
         * @throws IOException if that is not known now, but may be later
         */
        Optional<String> problem() throws IOException;

        /** Writes missing checks for the pods of this node. Returns whether one was missing. */
        boolean repair() throws IOException;
    }

    /** The addresses of the pods' bridge. */
    @FunctionalInterface
    public interface Gateways {
        /** Removes unused addresses of earlier podCIDRs; returns them. */
        List<Cidr> removeOutdated(List<Cidr> podCidrs) throws IOException;
    }

    /**
     * Works on this node.
     *
     * @param installation empty if somebody else installs the plugin
     * @param netfilter the kernel module that the plugin needs
     * @param node this node's Node; empty until it is known
     * @param podMtu the MTU that fits through every route to other nodes' pods
     * @param nanoTime a monotonic clock
     */
    public NetworkPart(
            NetworkSettings settings,
            Optional<PluginInstallation> installation,
            BridgeNetfilterModule netfilter,
            PodSources sources,
            Gateways gateways,
            Supplier<Optional<NodeInfo>> node,
            Supplier<PodMtu> podMtu,
            Notices notices,
            LongSupplier nanoTime) {
        this.settings = settings;
        this.installation = installation;
        this.netfilter = netfilter;
        this.sources = sources;
        this.gateways = gateways;
        this.node = node;
        this.podMtu = podMtu;
        this.notices = notices;
        this.nanoTime = nanoTime;
        this.file = new ConflistFile(settings.folders());
        this.portmap = new Portmap(settings.folders());
        this.archive = new ClassDataArchive(settings.folders());
    }

    @Override
    public String name() {
        return "network";
    }

    /** Whether the runtime used our configuration at the last check. */
    public boolean isFirst() {
        return first;
    }

    @Override
    public void run(Running running) throws IOException, InterruptedException {
        Optional<Path> installed = install();
        Optional<List<String>> portmapVersions = portmap.versions();
        long start = nanoTime.getAsLong();
        Optional<Long> knownAt = Optional.empty();
        boolean archived = installed.isEmpty();
        while (true) {
            Optional<String> missing = netfilter.problem();
            missing.ifPresent(problem -> notices.warn("BridgeNetfilterMissing", problem));
            Optional<NodeInfo> own =
                    node.get().filter(known -> !known.podCidrs().isEmpty());
            long now = nanoTime.getAsLong();
            knownAt = own.isEmpty() ? Optional.empty() : knownAt.or(() -> Optional.of(now));
            Duration waited = Duration.ofNanos(now - start);
            Duration knownFor = Duration.ofNanos(now - knownAt.orElse(now));
            boolean mtuKnown = settings.mtu().isPresent() || podMtu.get().settled();
            Duration mtuWait = file.exists() ? MTU_WAIT_STANDING : MTU_WAIT;
            boolean ready = missing.isEmpty() && own.isPresent() && (mtuKnown || knownFor.compareTo(mtuWait) > 0);
            if (ready) {
                boolean checksSources = settings.checksSources() && checksSources();
                configure(own.get().podCidrs(), checksSources, portmapVersions);
                look();
                if (checksSources) {
                    repairSources();
                }
                if (!archived) {
                    archived = true;
                    makeArchive(installed.get());
                }
            } else if (own.isEmpty() && waited.compareTo(POD_CIDR_WAIT) > 0) {
                tellMissing();
            }
            if (missing.isPresent()) {
                running.waiting(missing.get());
            } else if (ready || file.exists()) {
                running.up();
            } else {
                running.waiting("the Node, with its podCIDRs, is not known yet");
            }
            // Written even without the MTU: pods that are wired until then get the MTU of a plain link.
            boolean complete = ready && mtuKnown;
            boolean soon = !complete && missing.isEmpty() && waited.compareTo(POD_CIDR_WAIT) < 0;
            if (running.awaitStop(soon ? LOOK_WAITING : LOOK)) {
                return;
            }
        }
    }

    private Optional<Path> install() throws IOException {
        if (installation.isEmpty()) {
            return Optional.empty();
        }
        PluginInstallation.Installed done = installation.get().install();
        if (done.changed()) {
            LOG.atInfo().addKeyValue("version", done.version()).log("install.done");
        }
        return Optional.of(done.version());
    }

    /** Asks until the kernel has said that it can. A failure that may pass takes the check from no pod. */
    private boolean checksSources() {
        if (canCheckSources) {
            return true;
        }
        try {
            Optional<String> problem = sources.problem();
            problem.ifPresent(text -> notices.warn(
                    "PodSourcesNotChecked",
                    "a pod can send with the address of another, and NetworkPolicies then take it for that one: " + text
                            + " (expected: a kernel with nf_tables for bridges, CONFIG_NF_TABLES_BRIDGE)"));
            canCheckSources = problem.isEmpty();
            return canCheckSources;
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("network.sources_not_tried");
            return true;
        }
    }

    /** Another program may have removed the rules, and an earlier agent may have wired pods without them. */
    private void repairSources() {
        try {
            if (sources.repair()) {
                LOG.atWarn().addKeyValue("link", Conflist.BRIDGE).log("network.sources_repaired");
            }
        } catch (IOException e) {
            notices.warn(
                    "PodSourcesNotRepaired",
                    "pods of this node may send with the addresses of others until this is mended: " + e.getMessage());
        }
    }

    private void configure(List<Cidr> now, boolean checksSources, Optional<List<String>> portmapVersions)
            throws IOException {
        // Restarted routes do not know the MTU for a moment.
        lastMtu = podMtu.get().bytes().or(() -> lastMtu);
        Conflist conflist = new Conflist(
                now,
                settings.mtu().or(() -> lastMtu),
                settings.stateDir(),
                PolicyMark.onNode(settings.folders()),
                checksSources,
                portmapVersions);
        List<Cidr> before = Conflist.podCidrs(file.text());
        if (file.write(conflist.text())) {
            LOG.atInfo()
                    .addKeyValue("pod_cidrs", now)
                    .addKeyValue("portmap", conflist.chainsPortmap())
                    .log("network.configured");
        }
        // Read from the file, because this change may just have ended the previous process.
        if (!before.isEmpty() && !before.equals(now)) {
            notices.warn(
                    "PodCIDRChanged",
                    "podCIDRs of this Node changed from " + before + " to " + now
                            + ": new pods get new addresses, those that run keep theirs and may be unreachable; until the last of them"
                            + " is gone " + Conflist.BRIDGE + " keeps the old gateway addresses");
        }
        removeOutdatedGateways(now);
    }

    /** Leftovers must not stop the wiring of pods. */
    private void removeOutdatedGateways(List<Cidr> now) {
        try {
            List<Cidr> removed = gateways.removeOutdated(now);
            if (!removed.isEmpty()) {
                LOG.atInfo()
                        .addKeyValue("link", Conflist.BRIDGE)
                        .addKeyValue("addresses", removed)
                        .log("network.gateways_removed");
            }
        } catch (IOException e) {
            notices.warn(
                    "GatewaysLeft",
                    Conflist.BRIDGE + ": addresses of earlier podCIDRs are still there: " + e.getMessage());
        }
    }

    /** Another network's configuration is never removed: it may be there on purpose. */
    private void look() throws IOException {
        Optional<String> other = file.takenInstead();
        first = other.isEmpty();
        if (other.isPresent()) {
            notices.warn(
                    "CNIConfigurationShadowed",
                    settings.folders().conf() + ": " + other.get() + " sorts before " + ConflistFile.NAME
                            + ", so the container runtime takes it (expected: no other network; remove it, or this DaemonSet)");
        }
    }

    private void tellMissing() {
        notices.warn(
                node.get().isEmpty() ? "NodeNotKnown" : "NoPodCIDR",
                node.get().isEmpty()
                        ? "this node's Node is not known (expected: a Node with the name of --hostname-override"
                                + " or NODE_NAME)"
                        : "spec.podCIDRs of this Node: empty (expected: a controller manager with --allocate-node-cidrs and"
                                + " --cluster-cidr)");
    }

    /** On a thread of its own: it takes a second of processor time, and nothing waits for it. */
    private void makeArchive(Path version) {
        Thread thread = new Thread(
                () -> {
                    try {
                        if (archive.make(version)) {
                            LOG.atInfo().addKeyValue("version", version).log("install.archive_made");
                        }
                    } catch (IOException e) {
                        LOG.atWarn().addKeyValue("error", e.getMessage()).log("install.archive_missing");
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "install-archive");
        thread.setDaemon(true);
        thread.start();
    }
}
