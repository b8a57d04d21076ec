package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** A veth pair between a container and its node. Finds, creates and connects it. */
final class PodLink {
    /** How long the pair may take to get ready. */
    private static final Duration RUNNING_WAIT_MAX = Duration.ofSeconds(3);

    private static final Duration RUNNING_PAUSE = Duration.ofMillis(1);

    private final NetworkNamespace host;
    private final LinkIdentity identity;
    private final Link hostEnd;
    private final Link podEnd;
    private final boolean made;

    private PodLink(NetworkNamespace host, LinkIdentity identity, Link hostEnd, Link podEnd, boolean made) {
        this.host = host;
        this.identity = identity;
        this.hostEnd = hostEnd;
        this.podEnd = podEnd;
        this.made = made;
    }

    /**
     * The pair that an earlier ADD of this attachment made.
     *
     * @param hostEnd the attachment's end on the node, see {@link LinkIdentity#find}
     * @throws CniException if another program owns the interface of this name, or the attachment's link is in another
     *     namespace
     */
    static Optional<PodLink> find(
            NetworkNamespace host, NetworkNamespace pod, LinkIdentity identity, Optional<Link> hostEnd)
            throws CniException, LinuxNetException {
        String ifname = identity.attachment().ifname();
        Optional<Link> podEnd = pod.link(ifname);
        if (podEnd.isEmpty()) {
            refuseIfElsewhere(pod, identity, hostEnd);
            return Optional.empty();
        }
        Optional<PodLink> found = hostEnd.filter(link -> arePeers(link, podEnd.get()))
                .map(link -> new PodLink(host, identity, link, podEnd.get(), false));
        if (found.isEmpty()) {
            throw new CniException(
                    ErrorCode.INTERNAL,
                    "container veth name (\"" + ifname + "\") already exists",
                    "CNI_IFNAME: \"" + ifname + "\" (expected: a name that the container does not use)");
        }
        return found;
    }

    /** Removes the addresses from a link that must outlive their release. It leaves other programs' links alone. */
    static void withdrawAddresses(NetworkNamespace host, NetworkNamespace pod, LinkIdentity identity)
            throws LinuxNetException {
        Optional<Link> podEnd = pod.link(identity.attachment().ifname());
        Optional<Link> hostEnd = podEnd.isPresent() ? identity.find(host) : Optional.empty();
        if (hostEnd.filter(link -> arePeers(link, podEnd.get())).isPresent()) {
            new PodInterface(pod, podEnd.get()).withdraw();
        }
    }

    /** Whether a pair's other end is in this namespace, under any name. */
    private static boolean isIn(NetworkNamespace pod, Link hostEnd) throws LinuxNetException {
        return pod.link(hostEnd.peerIndex())
                .filter(link -> arePeers(hostEnd, link))
                .isPresent();
    }

    /**
     * Refuses to take over a link of another namespace, because a running container would lose it. A link without an
     * alias is a leftover of a killed call that no runtime knows.
     */
    private static void refuseIfElsewhere(NetworkNamespace pod, LinkIdentity identity, Optional<Link> hostEnd)
            throws CniException, LinuxNetException {
        if (hostEnd.isEmpty() || hostEnd.get().alias().isEmpty()) {
            return;
        }
        if (!isIn(pod, hostEnd.get())) {
            throw new CniException(
                    ErrorCode.INTERNAL,
                    "container \"" + identity.attachment().containerId() + "\" has its link of network \""
                            + identity.network() + "\" in another namespace",
                    "CNI_NETNS: not that of " + hostEnd.get().name()
                            + " (expected: the namespace of the first ADD, or a DEL before this one)");
        }
    }

    /**
     * Creates each end of the pair in its namespace, without a rename or move.
     *
     * @param stale an end on the node to remove first: a leftover of a killed call, or renamed in the container
     */
    static PodLink create(
            NetworkNamespace host,
            NetworkNamespace pod,
            LinkIdentity identity,
            Optional<Link> stale,
            Optional<MacAddress> mac,
            Optional<Integer> mtu,
            Undo undo)
            throws CniException, LinuxNetException {
        if (stale.isPresent()) {
            LinkRemoval.immediate().remove(host, stale.get().index());
        }
        String ifname = identity.attachment().ifname();
        for (int tries = 1; ; tries++) {
            String hostName = identity.freeName(host);
            // Registered before the request, because the link may exist although the answer was lost.
            undo.add(() -> remove(host, identity, hostName));
            try {
                Link podEnd = pod.createVeth(new VethSpec(ifname, mac, hostName, host, mtu));
                Link hostEnd = host.link(hostName)
                        .orElseThrow(() -> new LinuxNetException("read link " + hostName, Errno.ENODEV.number(), ""));
                return new PodLink(host, identity, hostEnd, podEnd, true);
            } catch (LinuxNetException e) {
                // Another call took one of the names meanwhile.
                if (!e.isExists()
                        || tries == LinkIdentity.NAMES_MAX
                        || pod.link(ifname).isPresent()) {
                    throw e;
                }
            }
        }
    }

    private static void remove(NetworkNamespace host, LinkIdentity identity, String name) throws LinuxNetException {
        Optional<Link> link = host.link(name);
        if (link.isPresent() && identity.isOf(link.get())) {
            LinkRemoval.immediate().remove(host, link.get().index());
        }
    }

    /** Whether two links are the ends of one pair. Indexes alone may match by chance; names and aliases do not. */
    private static boolean arePeers(Link hostEnd, Link podEnd) {
        return podEnd.kind().equals("veth")
                && hostEnd.peerIndex() == podEnd.index()
                && podEnd.peerIndex() == hostEnd.index();
    }

    /** The end in the node's namespace. */
    Link hostEnd() {
        return hostEnd;
    }

    /** The end in the container's namespace. */
    Link podEnd() {
        return podEnd;
    }

    /** Whether this call made it. */
    boolean made() {
        return made;
    }

    /** Makes the node's end a port of the bridge with these options, and up. */
    void plugInto(Link bridge, NetworkConfig.PortConfig config) throws LinuxNetException {
        if (!hostEnd.alias().equals(identity.alias())) {
            host.setAlias(hostEnd.index(), identity.alias());
        }
        boolean plugged = hostEnd.masterIndex() == bridge.index();
        if (plugged && !config.vlans().isUsed() && hasVlansOfBefore(bridge)) {
            host.setMaster(hostEnd.index(), 0); // to come back with a new port's default VLANs
            plugged = false;
        }
        if (!plugged) {
            NodeSettings.own(host, hostEnd.name());
            host.setMaster(hostEnd.index(), bridge.index());
        }
        if (config.hairpin() != (plugged && hostEnd.hairpin())) {
            host.setHairpin(hostEnd.index(), config.hairpin());
        }
        if (config.isolated() != (plugged && hostEnd.isolated())) {
            host.setIsolated(hostEnd.index(), config.isolated());
        }
        if (config.addressCheck() || plugged) {
            host.setForwardsReserved(hostEnd.index(), config.addressCheck());
        }
        if (config.vlans().isUsed()) {
            PortVlans.of(host, hostEnd).change(config.vlans().ofPort());
        }
        if (!hostEnd.up()) {
            host.setUp(hostEnd.index(), true);
        }
    }

    /** Whether an earlier ADD put the port into other VLANs. */
    private boolean hasVlansOfBefore(Link bridge) throws LinuxNetException {
        return bridge.vlanFiltering()
                && !host.vlans(hostEnd.index()).equals(List.of(PortVlan.access(NetworkConfig.VlanConfig.DEFAULT)));
    }

    /**
     * Waits until the pair forwards packets. The kernel informs the bridge a moment after both ends are up. Packets of
     * the container are lost until then.
     */
    void awaitRunning() throws CniException, LinuxNetException {
        long deadline = System.nanoTime() + RUNNING_WAIT_MAX.toNanos();
        while (!host.link(hostEnd.index()).map(Link::running).orElse(false)) {
            if (System.nanoTime() - deadline >= 0) {
                throw new CniException(
                        ErrorCode.INTERNAL,
                        "bridge port in error state: " + hostEnd.name() + " is not running after "
                                + RUNNING_WAIT_MAX.toSeconds() + " s");
            }
            LockSupport.parkNanos(RUNNING_PAUSE.toNanos());
        }
    }
}
