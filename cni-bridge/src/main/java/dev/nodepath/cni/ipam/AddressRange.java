package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Optional;

/**
 * Addresses of one subnet that may be given out: from {@code start} to {@code end}, both included, except the gateway
 * and excluded addresses.
 *
 * @param gateway may be outside the subnet, as in host-local
 * @param excluded networks or single addresses that are not given out
 */
public record AddressRange(Cidr subnet, IpAddress start, IpAddress end, IpAddress gateway, List<Cidr> excluded) {

    /** A subnet needs this many host bits for its own address, a gateway and a container. */
    private static final int HOST_BITS_MIN = 2;

    /** Makes the checks of host-local, with its messages. */
    public AddressRange {
        int length = subnet.prefixLength();
        if (length > subnet.family().bits() - HOST_BITS_MIN) {
            throw new IllegalArgumentException("Network " + subnet + " too small to allocate from");
        }
        if (!subnet.isNetwork()) {
            throw new IllegalArgumentException("Network has host bits set. For a subnet mask of length " + length
                    + " the network address is " + subnet.network().address());
        }
        if (!subnet.contains(start)) {
            throw new IllegalArgumentException("RangeStart " + start + " not in network " + subnet);
        }
        if (!subnet.contains(end)) {
            throw new IllegalArgumentException("RangeEnd " + end + " not in network " + subnet);
        }
        if (start.compareTo(end) > 0) {
            throw new IllegalArgumentException("RangeStart " + start + " is after RangeEnd " + end);
        }
        if (gateway.family() != subnet.family()) {
            throw new IllegalArgumentException("Gateway " + gateway + " of a network of another family, " + subnet);
        }
        excluded = List.copyOf(excluded);
        for (Cidr network : excluded) {
            if (network.family() != subnet.family()) {
                throw new IllegalArgumentException("exclude: " + network + " is of another family than " + subnet);
            }
        }
        if (firstFrom(start, end, excluded).isEmpty()) {
            throw new IllegalArgumentException("exclude leaves no address of " + start + "-" + end);
        }
    }

    /**
     * A range with host-local's defaults: the gateway is the first address of the subnet, the start too; the end is
     * the last one before the broadcast address, or the very last one of IPv6.
     */
    public static AddressRange of(
            Cidr subnet, Optional<IpAddress> start, Optional<IpAddress> end, Optional<IpAddress> gateway) {
        IpAddress first = subnet.address().plus(1);
        IpAddress last = subnet.family() == IpFamily.IPV4 ? subnet.last().plus(-1) : subnet.last();
        return new AddressRange(subnet, start.orElse(first), end.orElse(last), gateway.orElse(first), List.of());
    }

    /** A copy of the range that excludes the addresses of these networks. */
    public AddressRange without(List<Cidr> networks) {
        return new AddressRange(subnet, start, end, gateway, networks);
    }

    /** Whether an address of the range is excluded. */
    public boolean excludes(IpAddress address) {
        return excluded.stream().anyMatch(network -> network.contains(address));
    }

    /** The first address from this one on that is not excluded; empty if there is none up to the end of the range. */
    public Optional<IpAddress> firstFrom(IpAddress address) {
        return firstFrom(address, end, excluded);
    }

    /** Skips a network in one step, because it may have too many addresses to count. */
    private static Optional<IpAddress> firstFrom(IpAddress from, IpAddress end, List<Cidr> excluded) {
        IpAddress address = from;
        for (int i = 0; i < excluded.size(); i++) {
            Cidr network = excluded.get(i);
            if (network.contains(address)) {
                if (network.last().compareTo(end) >= 0) {
                    return Optional.empty();
                }
                address = network.last().plus(1);
                i = -1; // an earlier one may exclude this address
            }
        }
        return Optional.of(address);
    }

    /** Whether the address lies between start and end. */
    public boolean contains(IpAddress address) {
        return address.family() == start.family() && start.compareTo(address) <= 0 && address.compareTo(end) <= 0;
    }

    /** Whether the two ranges have an address in common. */
    public boolean overlaps(AddressRange other) {
        return contains(other.start) || other.contains(start);
    }

    /** First and last address, in the format of host-local's messages. */
    @Override
    public String toString() {
        return start + "-" + end;
    }
}
