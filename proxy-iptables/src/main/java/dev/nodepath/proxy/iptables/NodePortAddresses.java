package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * On which of the node's addresses node ports are served: kube-proxy's {@code --nodeport-addresses}.
 *
 * @param networks those that an address must be in; a family without a network has them on all addresses
 * @param primary instead, on the Node's own address of each family alone
 */
public record NodePortAddresses(List<Cidr> networks, boolean primary) {
    /** On all of them. */
    public static final NodePortAddresses ALL = new NodePortAddresses(List.of(), false);

    private static final String PRIMARY = "primary";
    private static final Cidr LOOPBACK = Cidr.parse("127.0.0.0/8");

    /** Copies the list. */
    public NodePortAddresses {
        networks = List.copyOf(networks);
    }

    /**
     * Reads the option: networks, or the one word {@code primary}.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static NodePortAddresses parse(List<String> words) {
        if (words.equals(List.of(PRIMARY))) {
            return new NodePortAddresses(List.of(), true);
        }
        if (words.contains(PRIMARY)) {
            throw new IllegalArgumentException(
                    "nodePortAddresses: " + words + " (expected: primary alone, or networks)");
        }
        return new NodePortAddresses(
                words.stream().map(Cidr::parse).map(Cidr::network).toList(), false);
    }

    /** Whether all addresses of the family serve them. */
    public boolean isAll(IpFamily family, @Nullable NodeInfo node) {
        List<Cidr> wanted = wanted(family, node);
        return wanted.isEmpty() || wanted.stream().anyMatch(cidr -> cidr.prefixLength() == 0);
    }

    /** Whether 127.0.0.0/8, or a part of it, serves them. */
    boolean includeLocalhost(@Nullable NodeInfo node) {
        return isAll(IpFamily.IPV4, node)
                || wanted(IpFamily.IPV4, node).stream().anyMatch(cidr -> cidr.overlaps(LOOPBACK));
    }

    /** Those of a node's addresses of the family that serve them, each once, in numerical order. */
    public List<IpAddress> among(Collection<IpAddress> addresses, IpFamily family, @Nullable NodeInfo node) {
        List<Cidr> wanted = wanted(family, node);
        return addresses.stream()
                .filter(address -> wanted.stream().anyMatch(cidr -> cidr.contains(address)))
                .distinct()
                .sorted()
                .toList();
    }

    private List<Cidr> wanted(IpFamily family, @Nullable NodeInfo node) {
        Stream<Cidr> all = primary
                ? Stream.ofNullable(node)
                        .flatMap(known -> known.addresses().stream())
                        .filter(address -> address.family() == family)
                        .limit(1)
                        .map(Cidr::single)
                : networks.stream();
        return all.filter(cidr -> cidr.family() == family).toList();
    }
}
