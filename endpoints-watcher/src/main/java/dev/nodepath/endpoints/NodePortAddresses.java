package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The node's addresses that serve node ports: kube-proxy's {@code --nodeport-addresses}.
 *
 * @param networks the networks of these addresses; if a family has no network, all its addresses serve node ports
 * @param primary whether only the Node's own address of each family serves node ports
 */
public record NodePortAddresses(List<Cidr> networks, boolean primary) {
    /** All addresses. */
    public static final NodePortAddresses ALL = new NodePortAddresses(List.of(), false);

    /** The Node's own address of each family. */
    public static final NodePortAddresses PRIMARY = new NodePortAddresses(List.of(), true);

    private static final String PRIMARY_WORD = "primary";
    private static final Cidr LOOPBACK = Cidr.parse("127.0.0.0/8");

    public NodePortAddresses {
        networks = List.copyOf(networks);
    }

    /**
     * Reads the option: networks, or the one word {@code primary}.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static NodePortAddresses parse(List<String> words) {
        if (words.equals(List.of(PRIMARY_WORD))) {
            return PRIMARY;
        }
        if (words.contains(PRIMARY_WORD)) {
            throw new IllegalArgumentException(words + " (expected: primary alone, or networks)");
        }
        return new NodePortAddresses(
                words.stream().map(Cidr::parse).map(Cidr::network).toList(), false);
    }

    /** Whether all addresses of the family serve node ports. */
    public boolean isAll(IpFamily family, @Nullable NodeInfo node) {
        return in(family, first(family, node)).isEmpty();
    }

    /** Whether 127.0.0.0/8, or a part of it, serves node ports. */
    public boolean includeLocalhost(@Nullable NodeInfo node) {
        List<Cidr> wanted = in(IpFamily.IPV4, first(IpFamily.IPV4, node));
        return wanted.isEmpty() || wanted.stream().anyMatch(cidr -> cidr.overlaps(LOOPBACK));
    }

    /** The given addresses of the family that serve node ports, without duplicates, in numerical order. */
    public List<IpAddress> among(Collection<IpAddress> addresses, IpFamily family, @Nullable NodeInfo node) {
        List<Cidr> wanted = in(family, first(family, node));
        return addresses.stream()
                .filter(address -> address.family() == family)
                .filter(address -> wanted.isEmpty() || wanted.stream().anyMatch(cidr -> cidr.contains(address)))
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * The networks of one family that serve node ports; empty if all addresses do.
     *
     * @param node the Node's own address of the family; without one, {@code primary} means all addresses
     */
    public List<Cidr> in(IpFamily family, Optional<IpAddress> node) {
        List<Cidr> wanted = primary ? node.stream().map(Cidr::single).toList() : networks;
        List<Cidr> own = wanted.stream().filter(cidr -> cidr.family() == family).toList();
        return own.stream().anyMatch(cidr -> cidr.prefixLength() == 0) ? List.of() : own;
    }

    private static Optional<IpAddress> first(IpFamily family, @Nullable NodeInfo node) {
        return Optional.ofNullable(node).flatMap(known -> known.address(family));
    }
}
