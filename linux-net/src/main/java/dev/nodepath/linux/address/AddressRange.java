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

    /** The ranges of these networks in order, see {@link #merged}. */
    public static List<AddressRange> of(List<Cidr> networks) {
        return merged(networks.stream()
                .map(network -> new AddressRange(network.address(), network.last()))
                .toList());
    }

    /** The same addresses in order. Ranges that overlap or touch become one, as in {@code nft}. */
    public static List<AddressRange> merged(List<AddressRange> ranges) {
        List<AddressRange> merged = new ArrayList<>();
        List<AddressRange> sorted = ranges.stream()
                .sorted(Comparator.comparing(AddressRange::first))
                .toList();
        for (AddressRange range : sorted) {
            int end = merged.size() - 1;
            if (end >= 0 && merged.get(end).touches(range)) {
                merged.set(end, merged.get(end).with(range));
            } else {
                merged.add(range);
            }
        }
        return merged;
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

    /** The addresses of a network that none of these others has, in order. */
    public static List<AddressRange> without(Cidr network, List<Cidr> excepts) {
        IpAddress last = network.last();
        List<AddressRange> rest = new ArrayList<>();
        IpAddress next = network.address();
        for (AddressRange except : of(excepts)) {
            if (except.last.compareTo(next) < 0 || except.first.compareTo(last) > 0) {
                continue;
            }
            if (except.first.compareTo(next) > 0) {
                rest.add(new AddressRange(next, except.first.plus(-1)));
            }
            if (except.last.compareTo(last) >= 0) {
                return rest;
            }
            next = except.last.plus(1);
        }
        rest.add(new AddressRange(next, last));
        return rest;
    }

    /** The lowest address of a family: all its bits are zero. */
    public static IpAddress lowest(IpFamily family) {
        return new IpAddress(family, 0, 0);
    }

    /** Whether it holds an address. */
    public boolean contains(IpAddress address) {
        return address.family() == first.family() && first.compareTo(address) <= 0 && last.compareTo(address) >= 0;
    }

    /** Whether it is one address. */
    public boolean isSingle() {
        return first.equals(last);
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
