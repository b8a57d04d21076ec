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
 * The elements of a set that is filled once: an anonymous one, or a set of networks.
 *
 * @param interval whether its elements are ranges
 * @param entries its elements, in any order
 */
record NftSetContent(boolean interval, List<Entry> entries) {

    /** An element, and its meaning for its neighbours in an interval set. */
    record Entry(NftElement element, Edge edge) {
        private static Entry of(IpAddress address, Edge edge) {
            return new Entry(NftElement.of(NftValue.of(address)), edge);
        }
    }

    /** The bound that an element of an interval set marks. */
    enum Edge {
        /** It begins a range, or it is in a set of single values. */
        FIRST,
        /** It is the first value behind a range. */
        BEHIND,
        /** It begins a range up to the highest value, which no element ends. */
        FIRST_OF_THE_HIGHEST
    }

    /** The addresses of networks in order: single ones as they are, else as ranges. */
    static NftSetContent of(List<Cidr> networks) {
        return networks.stream().allMatch(AddressRange::isSingle)
                ? single(networks.stream().map(Cidr::address).toList())
                : ofRanges(AddressRange.of(networks));
    }

    /** Ranges in order ({@code nft_set_rbtree} of the kernel), or single addresses if all are. */
    static NftSetContent ofRanges(List<AddressRange> ranges) {
        if (ranges.stream().allMatch(AddressRange::isSingle)) {
            return single(ranges.stream().map(AddressRange::first).toList());
        }
        List<Entry> entries = new ArrayList<>();
        IpAddress lowest = AddressRange.lowest(ranges.get(0).first().family());
        if (!ranges.get(0).first().equals(lowest)) {
            // nft marks the space below the first range.
            entries.add(Entry.of(lowest, Edge.BEHIND));
        }
        for (AddressRange range : ranges) {
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

    private static NftSetContent single(List<IpAddress> addresses) {
        return new NftSetContent(
                false,
                addresses.stream().map(each -> Entry.of(each, Edge.FIRST)).toList());
    }

    /** The data of each index from 0; empty if the keys are not the numbers from 0 on. */
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
        return ranges().stream().flatMap(range -> range.networks().stream()).toList();
    }

    /** The addresses of a set of addresses, in order. */
    List<AddressRange> ranges() {
        List<Entry> sorted = new ArrayList<>(entries);
        sorted.sort(Comparator.comparing((Entry entry) -> entry.element().key())
                .thenComparing(entry -> entry.edge() != Edge.BEHIND));
        List<AddressRange> ranges = new ArrayList<>();
        for (int i = 0; i < sorted.size(); i++) {
            IpAddress first = address(sorted.get(i));
            if (!interval) {
                ranges.add(new AddressRange(first, first));
            } else if (sorted.get(i).edge() != Edge.BEHIND) {
                IpAddress behind =
                        i + 1 < sorted.size() ? address(sorted.get(i + 1)) : AddressRange.lowest(first.family());
                ranges.add(new AddressRange(first, behind.plus(-1)));
            }
        }
        return ranges;
    }

    private static IpAddress address(Entry entry) {
        return IpAddress.of(entry.element().key().bytes());
    }
}
