package dev.nodepath.cni;

import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Gateway addresses of networks that this node no longer uses. While such an address exists, the node cannot reach the
 * network's new owner.
 */
public final class OutdatedGateways {
    private final LinuxNet net;
    private final HostLocalIpam ipam;
    private final Path dataDir;
    private final String network;
    private final String bridge;

    /**
     * The outdated gateways of one bridge.
     *
     * @param dataDir the folder of the addresses in use
     * @param network the name of the network that the bridge is for
     */
    OutdatedGateways(LinuxNet net, HostLocalIpam ipam, Path dataDir, String network, String bridge) {
        this.net = net;
        this.ipam = ipam;
        this.dataDir = dataDir;
        this.network = network;
        this.bridge = bridge;
    }

    /** The outdated gateways of one bridge in the network namespace of this process. */
    public static OutdatedGateways onThisNode(KernelLinuxNet net, Path dataDir, String network, String bridge) {
        return new OutdatedGateways(net, Invocation.ipam(net), dataDir, network, bridge);
    }

    /**
     * Removes the addresses whose networks have no address in use.
     *
     * @param current the networks that are in use now
     * @return the removed addresses
     */
    public List<Cidr> remove(List<Cidr> current) throws IOException {
        try (NetworkNamespace host = net.current()) {
            Optional<Link> link = host.link(bridge);
            if (link.isEmpty() || outdated(host, link.get(), current).isEmpty()) {
                return List.of();
            }
            // A later ADD makes its gateway again.
            return ipam.withTaken(dataDir, network, taken -> removeUnused(host, link.get(), current, taken));
        }
    }

    private static List<Cidr> removeUnused(NetworkNamespace host, Link link, List<Cidr> current, Set<IpAddress> taken)
            throws LinuxNetException {
        List<Cidr> removed = new ArrayList<>();
        for (Cidr address : outdated(host, link, current)) {
            if (taken.stream().noneMatch(address.network()::contains)) {
                host.deleteAddress(link.index(), address);
                removed.add(address);
            }
        }
        return removed;
    }

    /** Considers only addresses that this plugin made. */
    private static List<Cidr> outdated(NetworkNamespace host, Link link, List<Cidr> current) throws LinuxNetException {
        return host.addresses(link.index()).stream()
                .filter(has -> Gateway.isMadeHere(link, has))
                .map(InterfaceAddress::address)
                .filter(has -> current.stream().noneMatch(each -> each.contains(has.address())))
                .toList();
    }
}
