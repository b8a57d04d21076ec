package dev.nodepath.emulator.cluster;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Optional;

/**
 * A network that joins nodes.
 *
 * @param ipv4 its /24
 * @param ipv6 its /64; empty unless the cluster is dual-stack
 */
public record NodeNetwork(Cidr ipv4, Optional<Cidr> ipv6) {
    private static final int IPV4_PREFIX_LENGTH = 24;
    private static final int IPV6_PREFIX_LENGTH = 64;
    /** The last host addresses of the /24, and the same in the /64. */
    private static final long CLIENT_HOST = 254;

    private static final long ROUTER_HOST = 253;

    /** The network of a node, from its addresses. */
    static NodeNetwork of(NodeInfo node) {
        return new NodeNetwork(
                withPrefix(node.addresses().get(0)).network(),
                node.addresses().stream()
                        .skip(1)
                        .findFirst()
                        .map(address -> withPrefix(address).network()));
    }

    /** An address with the prefix length of its network. */
    public static Cidr withPrefix(IpAddress address) {
        return new Cidr(address, address.family() == IpFamily.IPV4 ? IPV4_PREFIX_LENGTH : IPV6_PREFIX_LENGTH);
    }

    /** The addresses of the client outside, if it stands on this network. */
    public List<IpAddress> clientAddresses() {
        return hosts(CLIENT_HOST);
    }

    /** The addresses of the router, if there are several networks. */
    public List<IpAddress> routerAddresses() {
        return hosts(ROUTER_HOST);
    }

    /** The networks, IPv4 first. */
    public List<Cidr> cidrs() {
        return ipv6.map(second -> List.of(ipv4, second)).orElse(List.of(ipv4));
    }

    boolean overlaps(Cidr other) {
        return cidrs().stream().anyMatch(other::overlaps);
    }

    private List<IpAddress> hosts(long number) {
        return cidrs().stream().map(cidr -> cidr.address().plus(number)).toList();
    }

    @Override
    public String toString() {
        return ipv4 + ipv6.map(second -> " and " + second).orElse("");
    }
}
