package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The overlay's link on this node: a VXLAN link that learns nothing, its addresses the first of each own podCIDR. */
final class OverlayLink {
    static final String NAME = "nodepath-vxlan";

    /** The VXLAN network identifier of all nodes: "np". */
    static final int ID = 0x6e70;

    /** IANA's port for VXLAN. */
    static final int PORT = 4789;

    private final NetworkNamespace namespace;

    OverlayLink(NetworkNamespace namespace) {
        this.namespace = namespace;
    }

    /**
     * The hardware address of a node's overlay link. It comes from the node's name, so that every node knows it without
     * being told, and a node keeps it when its addresses change.
     */
    static MacAddress mac(String node) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(node.getBytes(StandardCharsets.UTF_8));
            byte[] mac = Arrays.copyOf(hash, 6);
            mac[0] = (byte) ((mac[0] & 0xFC) | 0x02);
            return MacAddress.of(mac);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Makes sure that the overlay link exists and has the wanted settings. A link with other settings is replaced,
     * which removes its routes.
     *
     * @return its index
     */
    int ensure(VxlanSpec spec, List<Cidr> addresses) throws LinuxNetException {
        Optional<Link> found = namespace.link(NAME);
        if (found.isPresent() && !isAsWanted(checked(found.get()), spec)) {
            namespace.deleteLink(found.get().index());
            found = Optional.empty();
        }
        Link link = found.isPresent() ? found.get() : create(spec, addresses);
        if (link.mtu() != spec.mtu()) {
            namespace.setMtu(link.index(), spec.mtu());
        }
        if (!link.up()) {
            namespace.setUp(link.index(), true);
        }
        ensureAddresses(link.index(), addresses);
        return link.index();
    }

    /** Removes the link if it is there; one of its name with another identifier or port is somebody else's. */
    void remove() throws LinuxNetException {
        Optional<Link> found = namespace.link(NAME);
        if (found.isPresent() && isOurs(found.get())) {
            namespace.deleteLink(found.get().index());
        }
    }

    /** Whether a link of this name is the overlay's. */
    static boolean isOurs(Link link) {
        return link.vxlan()
                .filter(tunnel -> tunnel.id() == ID && tunnel.port() == PORT)
                .isPresent();
    }

    private static Link checked(Link link) throws LinuxNetException {
        if (!isOurs(link)) {
            String other = link.vxlan()
                    .map(tunnel -> "VXLAN " + tunnel.id() + " on port " + tunnel.port())
                    .orElse("a link of kind \"" + link.kind() + "\"");
            throw new LinuxNetException(
                    "make link " + NAME,
                    Errno.EEXIST.number(),
                    other + " has that name (expected: VXLAN " + ID + " on port " + PORT + ", or none)");
        }
        return link;
    }

    private static boolean isAsWanted(Link link, VxlanSpec spec) {
        return link.vxlan().equals(Optional.of(spec.tunnel())) && link.mac().equals(Optional.of(spec.mac()));
    }

    private Link create(VxlanSpec spec, List<Cidr> addresses) throws LinuxNetException {
        Link link;
        try {
            link = namespace.createVxlan(spec);
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                throw new LinuxNetException(
                        "make the overlay",
                        Errno.EOPNOTSUPP.number(),
                        "this kernel has no VXLAN (expected: the module vxlan, or --overlay=none)",
                        e);
            }
            if (e.isExists()) {
                throw new LinuxNetException(
                        "make the overlay",
                        Errno.EEXIST.number(),
                        "another VXLAN link has id " + ID + " and port " + PORT + " (expected: they are free)",
                        e);
            }
            throw e;
        }
        if (addresses.stream().anyMatch(address -> address.family() == IpFamily.IPV6)) {
            quieten();
        }
        return link;
    }

    /** The link has no multicast: it gets no link-local address and sends no router solicitations. */
    private void quieten() throws LinuxNetException {
        String conf = "net/ipv6/conf/" + NAME + "/";
        for (Map.Entry<String, String> setting : Map.of("disable_ipv6", "0", "addr_gen_mode", "1", "accept_ra", "0")
                .entrySet()) {
            try {
                namespace.setSysctl(conf + setting.getKey(), setting.getValue());
            } catch (LinuxNetException e) {
                // Without IPv6, or with read-only settings, adding the addresses reports the error.
                if (!e.isMissing() && e.errno() != Errno.EROFS && e.errno() != Errno.EACCES) {
                    throw e;
                }
            }
        }
    }

    private void ensureAddresses(int index, List<Cidr> wanted) throws LinuxNetException {
        Set<Cidr> missing = new HashSet<>(wanted);
        for (InterfaceAddress has : namespace.addresses(index)) {
            boolean linkLocal = has.address().address().toString().startsWith("fe80:");
            if (!missing.remove(has.address()) && !linkLocal) {
                namespace.deleteAddress(index, has.address());
            }
        }
        for (Cidr address : missing) {
            namespace.addAddress(index, address, AddressOptions.DEFAULT);
        }
    }
}
