package dev.nodepath.cni;

import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.ipam.RangeSet;
import dev.nodepath.linux.Errno;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.Route;
import dev.nodepath.linux.VethSpec;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** A veth pair between a container and its node. */
final class PodLink {
    /** How many names are tried for the node's end before giving up. */
    private static final int NAME_TRIES_MAX = 10;

    /** How long both ends may take to see each other. */
    private static final Duration RUNNING_WAIT_MAX = Duration.ofSeconds(3);

    private static final Duration RUNNING_PAUSE = Duration.ofMillis(1);

    private final NetworkNamespace host;
    private final NetworkNamespace pod;
    private final Link hostEnd;
    private final Link podEnd;

    private PodLink(NetworkNamespace host, NetworkNamespace pod, Link hostEnd, Link podEnd) {
        this.host = host;
        this.pod = pod;
        this.hostEnd = hostEnd;
        this.podEnd = podEnd;
    }

    /** Makes the pair, each end born in its namespace: no rename, no move. The node's end gets a random name. */
    static PodLink create(
            NetworkNamespace host,
            NetworkNamespace pod,
            String ifname,
            Optional<Integer> mtu,
            RandomGenerator random,
            Undo undo)
            throws CniException, LinuxNetException {
        for (int tries = 1; ; tries++) {
            String hostName = "veth" + hex(random.nextInt());
            try {
                Link podEnd = pod.createVeth(new VethSpec(ifname, Optional.empty(), hostName, host, mtu));
                undo.add(() -> deleteIfThere(pod, podEnd.index()));
                return new PodLink(host, pod, read(host, hostName), podEnd);
            } catch (LinuxNetException e) {
                if (!e.isExists()) {
                    // The pair may be there although the answer was lost; before this call the name was free.
                    undo.add(() -> deleteNamed(pod, ifname));
                    throw e;
                }
                if (tries == NAME_TRIES_MAX) {
                    throw e;
                }
                if (pod.link(ifname).isPresent()) {
                    throw alreadyExists(ifname);
                }
            }
        }
    }

    /** The end in the node's namespace, as it was made. */
    Link hostEnd() {
        return hostEnd;
    }

    /** The end in the container's namespace, as it was made. */
    Link podEnd() {
        return podEnd;
    }

    /** Makes the node's end a port of the bridge, and up. */
    void plugInto(Link bridge, boolean hairpin) throws LinuxNetException {
        host.setMaster(hostEnd.index(), bridge.index());
        if (hairpin) {
            host.setHairpin(hostEnd.index(), true);
        }
        host.setUp(hostEnd.index(), true);
    }

    /** Gives the container's end its addresses and routes, and sets it up. */
    void configure(List<RangeSet.Candidate> addresses, List<PodRoute> routes) throws LinuxNetException {
        skipDuplicateDetection();
        for (RangeSet.Candidate address : addresses) {
            pod.addAddress(podEnd.index(), address.address());
        }
        pod.setUp(podEnd.index(), true);
        for (Route route : kernelRoutes(addresses, routes)) {
            pod.addRoute(route);
        }
    }

    /**
     * Waits until the pair carries packets. The kernel tells a port's bridge of it a moment after both ends are up, and what
     * the container sends until then is lost.
     */
    void awaitRunning() throws CniException, LinuxNetException {
        long deadline = System.nanoTime() + RUNNING_WAIT_MAX.toNanos();
        while (!read(host, hostEnd.name()).running()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new CniException(
                        ErrorCode.INTERNAL,
                        "bridge port in error state: " + hostEnd.name() + " is not running after "
                                + RUNNING_WAIT_MAX.toSeconds() + " s");
            }
            LockSupport.parkNanos(RUNNING_PAUSE.toNanos());
        }
    }

    /** Deletes a link; that it is gone already is fine. */
    static void deleteIfThere(NetworkNamespace namespace, int index) throws LinuxNetException {
        try {
            namespace.deleteLink(index);
        } catch (LinuxNetException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }

    private static void deleteNamed(NetworkNamespace namespace, String name) throws LinuxNetException {
        Optional<Link> link = namespace.link(name);
        if (link.isPresent()) {
            deleteIfThere(namespace, link.get().index());
        }
    }

    /** The refusal of an interface name that the container uses already. */
    static CniException alreadyExists(String ifname) {
        return new CniException(
                ErrorCode.INTERNAL,
                "container veth name (\"" + ifname + "\") already exists",
                "CNI_IFNAME: \"" + ifname + "\" (expected: a name that the container does not use)");
    }

    /** The link-local address that the kernel adds by itself would be tentative for a second or two otherwise. */
    private void skipDuplicateDetection() throws LinuxNetException {
        try {
            pod.setSysctl("net/ipv6/conf/" + podEnd.name() + "/accept_dad", "0");
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) { // a kernel without IPv6
                throw e;
            }
        }
    }

    /** The routes as the kernel wants them; a default route that is configured and implied is one. */
    private Set<Route> kernelRoutes(List<RangeSet.Candidate> addresses, List<PodRoute> routes) {
        Set<Route> wanted = new LinkedHashSet<>();
        for (PodRoute route : routes) {
            Optional<IpAddress> gateway = route.gateway().isPresent()
                    ? route.gateway()
                    : gatewayOf(route.destination().family(), addresses);
            wanted.add(new Route(route.destination(), gateway, podEnd.index()));
        }
        return wanted;
    }

    private static Optional<IpAddress> gatewayOf(IpFamily family, List<RangeSet.Candidate> addresses) {
        for (RangeSet.Candidate address : addresses) {
            if (address.gateway().family() == family) {
                return Optional.of(address.gateway());
            }
        }
        return Optional.empty();
    }

    private static Link read(NetworkNamespace namespace, String name) throws LinuxNetException {
        return namespace
                .link(name)
                .orElseThrow(() -> new LinuxNetException("read link " + name, Errno.ENODEV.number(), ""));
    }

    private static String hex(int bits) {
        String digits = Integer.toHexString(bits);
        return "0".repeat(8 - digits.length()) + digits;
    }
}
