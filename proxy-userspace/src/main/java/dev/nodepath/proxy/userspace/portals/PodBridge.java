package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;

/**
 * The bridge that pods of this node are ports of. It passes frames between them, past the node.
 *
 * @param network of the bridge's own address, which the pods are in
 * @param mac its hardware address, which never follows its ports
 */
public record PodBridge(Cidr network, MacAddress mac) {
    /**
     * Looks for the bridge.
     *
     * @param pods the networks of this node's pods
     * @return empty if there is none, or none yet
     * @throws LinuxNetException if it has none of the properties that lifting answers needs; the message says which
     */
    public static Optional<PodBridge> find(NetworkNamespace node, List<Cidr> pods, IpFamily family)
            throws LinuxNetException {
        List<Link> links = node.links();
        for (InterfaceAddress each : node.addresses()) {
            Cidr network = each.address();
            if (network.family() != family || pods.stream().noneMatch(cidr -> cidr.contains(network.address()))) {
                continue;
            }
            Optional<Link> bridge = links.stream()
                    .filter(link ->
                            link.index() == each.linkIndex() && link.kind().equals("bridge"))
                    .findFirst();
            if (bridge.isPresent()) {
                return Optional.of(checked(node, bridge.get(), links, network.network()));
            }
        }
        return Optional.empty();
    }

    private static PodBridge checked(NetworkNamespace node, Link bridge, List<Link> links, Cidr network)
            throws LinuxNetException {
        String setting = network.family() == IpFamily.IPV4 ? "bridge-nf-call-iptables" : "bridge-nf-call-ip6tables";
        if (!bridge.netfilter() && !isOn(node, setting)) {
            throw unfit("net.bridge." + setting + " is 0 (expected: 1)");
        }
        List<Link> ports = links.stream()
                .filter(link -> link.masterIndex() == bridge.index())
                .toList();
        if (bridge.mac().isEmpty() || ports.stream().anyMatch(port -> port.mac().equals(bridge.mac()))) {
            throw unfit(bridge.name() + " has the hardware address of a port (expected: one of its own)");
        }
        if (ports.stream().anyMatch(Link::isolated)) {
            // They do not even find each other's hardware address.
            throw unfit(bridge.name() + " has isolated ports (expected: none)");
        }
        return new PodBridge(network, bridge.mac().get());
    }

    private static boolean isOn(NetworkNamespace node, String setting) throws LinuxNetException {
        try {
            return node.sysctl("net/bridge/" + setting).equals("1");
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENOENT) {
                return false; // br_netfilter is not loaded
            }
            throw e;
        }
    }

    private static LinuxNetException unfit(String problem) {
        return new LinuxNetException("lift answers between pods", Errno.EOPNOTSUPP.number(), problem);
    }
}
