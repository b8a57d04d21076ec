package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The elements of a set that has them from its start to its end: an anonymous one, or a set of networks.
 *
 * @param interval whether its elements are ranges
 * @param entries its elements, in any order
 */
record NftSetContent(boolean interval, List<Entry> entries) {

    /** An element, and what it is for its neighbours in an interval set. */
    record Entry(NftElement element, Edge edge) {
        private static Entry of(IpAddress address, Edge edge) {
            return new Entry(NftElement.of(NftValue.of(address)), edge);
        }
    }

    /** What an element of an interval set bounds. */
    enum Edge {
        /** It begins a range, or it is in a set of single values. */
        FIRST,
        /** It is the first value behind a range. */
        BEHIND,
        /** It begins a range up to the highest value, which no element ends. */
        FIRST_OF_THE_HIGHEST
    }

    /** The addresses of networks in order: single addresses, or ranges ({@code nft_set_rbtree} of the kernel). */
    static NftSetContent of(List<Cidr> networks) {
        List<Entry> entries = new ArrayList<>();
        if (networks.stream().allMatch(AddressRange::isSingle)) {
            networks.forEach(network -> entries.add(Entry.of(network.address(), Edge.FIRST)));
            return new NftSetContent(false, entries);
        }
        IpAddress lowest = AddressRange.lowest(networks.get(0).family());
        if (!networks.get(0).address().equals(lowest)) {
            // nft marks what is below the first range.
            entries.add(Entry.of(lowest, Edge.BEHIND));
        }
        for (AddressRange range : AddressRange.of(networks)) {
            IpAddress behind = range.last().plus(1);
            if (behind.equals(lowest)) {
                entries.add(Entry.of(range.first(), Edge.FIRST_OF_THE_HIGHEST));
            } else {
                entries.add(Entry.of(range.first(), Edge.FIRST));
                entries.add(Entry.of(behind, Edge.BEHIND));
            }
        }
        return new NftSetContent(true, entries);
    }

    /** What each index from 0 leads to; empty if the keys are not the numbers from 0 on. */
    List<NftData> byIndex() {
        NftData[] data = new NftData[entries.size()];
        for (Entry entry : entries) {
            byte[] key = entry.element().key().bytes();
            int index = key.length == Integer.BYTES
                    ? ByteBuffer.wrap(key).order(ByteOrder.nativeOrder()).getInt()
                    : -1;
            if (index < 0 || index >= data.length || entry.element().data().isEmpty()) {
                return List.of();
            }
            data[index] = entry.element().data().get();
        }
        return Arrays.asList(data).contains(null) ? List.of() : List.of(data);
    }

    /** The networks of a set of addresses, in order. */
    List<Cidr> networks() {
        List<Entry> sorted = new ArrayList<>(entries);
        sorted.sort(Comparator.comparing((Entry entry) -> entry.element().key())
                .thenComparing(entry -> entry.edge() != Edge.BEHIND));
        List<Cidr> networks = new ArrayList<>();
        for (int i = 0; i < sorted.size(); i++) {
            IpAddress first = address(sorted.get(i));
            if (!interval) {
                networks.add(Cidr.single(first));
            } else if (sorted.get(i).edge() != Edge.BEHIND) {
                IpAddress behind =
                        i + 1 < sorted.size() ? address(sorted.get(i + 1)) : AddressRange.lowest(first.family());
                networks.addAll(new AddressRange(first, behind.plus(-1)).networks());
            }
        }
        return networks;
    }

    private static IpAddress address(Entry entry) {
        return IpAddress.of(entry.element().key().bytes());
    }
}
