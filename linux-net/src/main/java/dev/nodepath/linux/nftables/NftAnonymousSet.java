package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A set or map without a name of its own: it belongs to one rule, and ends with it.
 *
 * @param interval whether its elements are ranges
 */
record NftAnonymousSet(
        String name, List<NftDatatype> key, List<NftDatatype> data, boolean interval, List<Entry> entries) {
    private static final int NAMES_OF_PROCESSES = 1 << 24;

    /**
     * Tells our names from those of other processes. {@code nft} leaves the name to the kernel, which then reads the
     * names of all sets of the table to find a free number. It compares names very often: short ones take less time.
     */
    private static final String OF_PROCESS =
            "-" + Integer.toString(new SecureRandom().nextInt(NAMES_OF_PROCESSES), Character.MAX_RADIX);

    private static final AtomicLong COUNT = new AtomicLong();

    /** A set with a name that no other has. */
    private NftAnonymousSet(List<NftDatatype> key, List<NftDatatype> data, boolean interval, List<Entry> entries) {
        this(Long.toString(COUNT.incrementAndGet(), Character.MAX_RADIX) + OF_PROCESS, key, data, interval, entries);
    }

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

    /** What a random number leads to: the map of an index to the data. */
    static NftAnonymousSet byIndex(List<NftDatatype> type, List<? extends NftData> data) {
        List<Entry> entries = new ArrayList<>(data.size());
        for (int i = 0; i < data.size(); i++) {
            entries.add(new Entry(NftElement.of(NftValue.of(i), data.get(i)), Edge.FIRST));
        }
        return new NftAnonymousSet(List.of(NftDatatype.INTEGER), type, false, entries);
    }

    /** The addresses of networks in order: single addresses, or ranges ({@code nft_set_rbtree} of the kernel). */
    static NftAnonymousSet of(NftDatatype type, List<Cidr> networks) {
        List<Entry> entries = new ArrayList<>();
        if (networks.stream().allMatch(NftAddressRange::isSingle)) {
            networks.forEach(network -> entries.add(Entry.of(network.address(), Edge.FIRST)));
            return new NftAnonymousSet(List.of(type), List.of(), false, entries);
        }
        IpAddress lowest = NftAddressRange.lowest(networks.get(0).family());
        if (!networks.get(0).address().equals(lowest)) {
            // nft marks what is below the first range.
            entries.add(Entry.of(lowest, Edge.BEHIND));
        }
        for (NftAddressRange range : NftAddressRange.of(networks)) {
            IpAddress behind = range.last().plus(1);
            if (behind.equals(lowest)) {
                entries.add(Entry.of(range.first(), Edge.FIRST_OF_THE_HIGHEST));
            } else {
                entries.add(Entry.of(range.first(), Edge.FIRST));
                entries.add(Entry.of(behind, Edge.BEHIND));
            }
        }
        return new NftAnonymousSet(List.of(type), List.of(), true, entries);
    }

    int flags() {
        return NftMessages.FLAG_ANONYMOUS
                | NftMessages.FLAG_CONSTANT
                | (interval ? NftMessages.FLAG_INTERVAL : 0)
                | (data.isEmpty() ? 0 : NftMessages.FLAG_MAP);
    }
}
