package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
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
        return in(family, first(family, node)).isEmpty();
    }

    /** Whether 127.0.0.0/8, or a part of it, serves them. */
    public boolean includeLocalhost(@Nullable NodeInfo node) {
        List<Cidr> wanted = in(IpFamily.IPV4, first(IpFamily.IPV4, node));
        return wanted.isEmpty() || wanted.stream().anyMatch(cidr -> cidr.overlaps(LOOPBACK));
    }

    /** Those of a node's addresses of the family that serve them, each once, in numerical order. */
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
     * The networks of one family that serve them; empty if all addresses do.
     *
     * @param node the Node's own address of the family; where it has none, {@code primary} is all addresses
     */
    public List<Cidr> in(IpFamily family, Optional<IpAddress> node) {
        List<Cidr> wanted = primary ? node.stream().map(Cidr::single).toList() : networks;
        List<Cidr> own = wanted.stream().filter(cidr -> cidr.family() == family).toList();
        return own.stream().anyMatch(cidr -> cidr.prefixLength() == 0) ? List.of() : own;
    }

    private static Optional<IpAddress> first(IpFamily family, @Nullable NodeInfo node) {
        return Stream.ofNullable(node)
                .flatMap(known -> known.addresses().stream())
                .filter(address -> address.family() == family)
                .findFirst();
    }
}
