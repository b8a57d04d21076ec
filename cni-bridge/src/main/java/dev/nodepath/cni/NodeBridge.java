package dev.nodepath.cni;

import dev.nodepath.cni.ipam.RangeSet;
import dev.nodepath.linux.BridgeSpec;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.InterfaceAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.MacAddress;
import dev.nodepath.linux.NetworkNamespace;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The bridge that all containers of a network share. Every step looks first and tolerates that others do the same. */
final class NodeBridge {
    private static final Cidr LINK_LOCAL_IPV6 = Cidr.parse("fe80::/10");

    private final NetworkNamespace host;
    private final RandomGenerator random;

    NodeBridge(NetworkNamespace host, RandomGenerator random) {
        this.host = host;
        this.random = random;
    }

    /** The bridge, up; as a gateway with the addresses that the containers use as their next hops. */
    Link prepare(NetworkConfig config, List<RangeSet.Candidate> addresses) throws CniException, LinuxNetException {
        Link bridge = findOrCreate(config);
        if (!bridge.up()) {
            host.setUp(bridge.index(), true);
        }
        if (config.isGateway()) {
            for (RangeSet.Candidate address : addresses) {
                Cidr gateway = new Cidr(address.gateway(), address.address().prefixLength());
                addGateway(bridge, gateway);
                enableForwarding(gateway.family());
            }
        }
        return bridge;
    }

    private Link findOrCreate(NetworkConfig config) throws CniException, LinuxNetException {
        Optional<Link> found = host.link(config.bridge());
        if (found.isEmpty()) {
            try {
                // A MAC of its own from the start: one that follows the ports changes under the containers' ARP
                // entries.
                MacAddress mac = MacAddress.random(random);
                return host.createBridge(new BridgeSpec(config.bridge(), Optional.of(mac), config.mtu(), true));
            } catch (LinuxNetException e) {
                found = e.isExists() ? host.link(config.bridge()) : Optional.empty();
                if (found.isEmpty()) {
                    throw e;
                }
            }
        }
        Link link = found.get();
        if (!link.kind().equals("bridge")) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "bridge: \"" + link.name() + "\" already exists but is not a bridge",
                    "it is of kind \"" + link.kind() + "\"");
        }
        return link;
    }

    private void addGateway(Link bridge, Cidr gateway) throws CniException, LinuxNetException {
        for (InterfaceAddress has : host.addresses()) {
            if (has.linkIndex() == bridge.index() && has.address().family() == gateway.family()) {
                if (has.address().equals(gateway)) {
                    return;
                }
                refuseClash(bridge, has.address(), gateway);
            }
        }
        try {
            host.addAddress(bridge.index(), gateway);
        } catch (LinuxNetException e) {
            if (!e.isExists()) {
                throw e;
            }
        }
    }

    /** As upstream: one IPv4 address, and IPv6 addresses of networks apart from each other. */
    private static void refuseClash(Link bridge, Cidr has, Cidr gateway) throws CniException {
        boolean apart = gateway.family() == IpFamily.IPV6
                && (LINK_LOCAL_IPV6.contains(has.address()) || !has.overlaps(gateway));
        if (!apart) {
            throw new CniException(
                    ErrorCode.INTERNAL,
                    "\"" + bridge.name() + "\" already has an IP address different from " + gateway,
                    "it has " + has);
        }
    }

    /** Written only when it is off: writing it flushes the kernel's caches even if nothing changes. */
    private void enableForwarding(IpFamily family) throws LinuxNetException {
        String key = family == IpFamily.IPV4 ? "net/ipv4/ip_forward" : "net/ipv6/conf/all/forwarding";
        if (!host.sysctl(key).strip().equals("1")) {
            host.setSysctl(key, "1");
        }
    }
}
