package dev.nodepath.emulator.page;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.LinkCounters;
import dev.nodepath.linux.link.LinkTraffic;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The counters of a node or of the client, read through a socket in its namespace; it knows which link leads to which
 * Pod.
 */
final class MachineLinks implements AutoCloseable {
    /** The name of the uplink of machines and Pods. */
    private static final String LINK = "eth0";

    private final NetworkNamespace namespace;
    private final LinkCounters counters;
    private final Map<String, Integer> pods = new HashMap<>();
    private Map<Integer, LinkTraffic> read = Map.of();
    private long readNanos;
    private int uplink;

    private MachineLinks(NetworkNamespace namespace, LinkCounters counters) {
        this.namespace = namespace;
        this.counters = counters;
    }

    static MachineLinks open(NetworkNamespace namespace, KernelLinuxNet net) throws LinuxNetException {
        return new MachineLinks(namespace, namespace.call(net::linkCounters));
    }

    /** Whether these are the links of a namespace. A restarted node has another namespace. */
    boolean areOf(NetworkNamespace other) {
        return namespace == other;
    }

    /**
     * Reads the counters of all links.
     *
     * @throws IllegalStateException if the namespace was closed; the caller must drop these links, as they keep the
     *     namespace alive
     */
    void read() throws LinuxNetException {
        uplink = namespace.link(LINK).map(Link::index).orElse(0);
        read = counters.read();
        readNanos = System.nanoTime();
        // A lost link comes back with another index.
        pods.values().removeIf(index -> !read.containsKey(index));
    }

    /** The counters of the machine's uplink. */
    Optional<Traffic> ofUplink() {
        return Optional.ofNullable(read.get(uplink)).map(link -> Traffic.ofOwner(link, readNanos));
    }

    /**
     * The counters of a Pod of this machine.
     *
     * @param network finds the Pod's namespace; called only if the Pod is not known yet
     */
    Optional<Traffic> of(String pod, Function<String, NetworkNamespace> network) throws LinuxNetException {
        if (!pods.containsKey(pod)) {
            Optional<Link> link = network.apply(pod).link(LINK);
            link.ifPresent(found -> pods.put(pod, found.peerIndex()));
        }
        return Optional.ofNullable(read.get(pods.getOrDefault(pod, 0))).map(link -> Traffic.ofPeer(link, readNanos));
    }

    @Override
    public void close() {
        counters.close();
    }
}
