package dev.nodepath.linux.address;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The addresses from the first to the last one, both included. An interval set of nf_tables holds ranges.
 *
 * @param first not above the last
 * @param last of the same family
 */
public record AddressRange(IpAddress first, IpAddress last) {

    /** The ranges of these networks in order. Networks that overlap or touch become one range, as in {@code nft}. */
    public static List<AddressRange> of(List<Cidr> networks) {
        List<AddressRange> ranges = new ArrayList<>();
        List<Cidr> sorted =
                networks.stream().sorted(Comparator.comparing(Cidr::address)).toList();
        for (Cidr network : sorted) {
            AddressRange range = new AddressRange(network.address(), network.last());
            int end = ranges.size() - 1;
            if (end >= 0 && ranges.get(end).touches(range)) {
                ranges.set(end, ranges.get(end).with(range));
            } else {
                ranges.add(range);
            }
        }
        return ranges;
    }

    /** The same addresses in order and without duplicates; single addresses are not united. */
    public static List<Cidr> united(List<Cidr> networks) {
        if (networks.stream().allMatch(AddressRange::isSingle)) {
            return networks.stream()
                    .distinct()
                    .sorted(Comparator.comparing(Cidr::address))
                    .toList();
        }
        return of(networks).stream().flatMap(range -> range.networks().stream()).toList();
    }

    /** The addresses of a network that none of these others has, as the fewest networks, in order. */
    public static List<Cidr> without(Cidr network, List<Cidr> excepts) {
        List<Cidr> rest = new ArrayList<>();
        IpAddress next = network.address();
        for (AddressRange except : of(excepts)) {
            if (except.first.compareTo(next) > 0 && except.first.compareTo(network.last()) <= 0) {
                rest.addAll(new AddressRange(next, except.first.plus(-1)).networks());
            }
            if (except.last.compareTo(network.last()) >= 0 && except.first.compareTo(network.last()) <= 0) {
                return rest;
            }
            if (except.last.compareTo(next) >= 0 && except.first.compareTo(network.last()) <= 0) {
                next = except.last.plus(1);
            }
        }
        rest.addAll(new AddressRange(next, network.last()).networks());
        return rest;
    }

    /** The lowest address of a family: all its bits are zero. */
    public static IpAddress lowest(IpFamily family) {
        return new IpAddress(family, 0, 0);
    }

    /** Whether a network is one address. */
    public static boolean isSingle(Cidr network) {
        return network.prefixLength() == network.family().bits();
    }

    /** Whether a range that does not begin before this one continues it. */
    private boolean touches(AddressRange next) {
        return next.first.compareTo(last) <= 0 || next.first.equals(last.plus(1));
    }

    private AddressRange with(AddressRange next) {
        return new AddressRange(first, next.last.compareTo(last) > 0 ? next.last : last);
    }

    /** The fewest networks that have these addresses together, in order. */
    public List<Cidr> networks() {
        List<Cidr> networks = new ArrayList<>();
        IpAddress next = first;
        while (true) {
            Cidr network = largest(next);
            networks.add(network);
            if (network.last().equals(last)) {
                return networks;
            }
            next = network.last().plus(1);
        }
    }

    /** The largest network that begins at an address and ends in this range. */
    private Cidr largest(IpAddress begin) {
        int prefix = begin.family().bits();
        while (prefix > 0) {
            Cidr larger = new Cidr(begin, prefix - 1);
            if (!larger.isNetwork() || larger.last().compareTo(last) > 0) {
                break;
            }
            prefix--;
        }
        return new Cidr(begin, prefix);
    }
}
