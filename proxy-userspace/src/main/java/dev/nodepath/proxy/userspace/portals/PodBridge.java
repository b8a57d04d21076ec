package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.BridgeNetfilter;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;

/** The bridge whose ports are pods of this node. It passes frames between the pods, around the node's routing. */
public final class PodBridge {
    private PodBridge() {}

    /**
     * Looks for the bridge.
     *
     * @param pods the networks of this node's pods
     * @return the network of its address, which contains the pods; empty if there is no bridge yet
     * @throws LinuxNetException if the pods' answers to each other do not pass connection tracking; the message tells
     *     the reason
     */
    public static Optional<Cidr> find(NetworkNamespace node, List<Cidr> pods, IpFamily family)
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
                check(node, bridge.get(), links, family);
                return Optional.of(network.network());
            }
        }
        return Optional.empty();
    }

    private static void check(NetworkNamespace node, Link bridge, List<Link> links, IpFamily family)
            throws LinuxNetException {
        if (!node.hasNetfilter(bridge, family)) {
            throw unfit("net.bridge." + BridgeNetfilter.setting(family) + " is 0 (expected: 1)");
        }
        if (links.stream().anyMatch(link -> link.masterIndex() == bridge.index() && link.isolated())) {
            // Pods on isolated ports do not even find each other's hardware address.
            throw unfit(bridge.name() + " has isolated ports (expected: none)");
        }
    }

    private static LinuxNetException unfit(String problem) {
        return new LinuxNetException("track answers between pods", Errno.EOPNOTSUPP.number(), problem);
    }
}
