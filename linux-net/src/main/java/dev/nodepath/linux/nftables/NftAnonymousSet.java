package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A set or map without a name of its own: it belongs to one rule, and ends with it.
 *
 * @param interval whether its elements are ranges
 */
record NftAnonymousSet(List<NftDatatype> key, List<NftDatatype> data, boolean interval, List<Entry> entries) {

    /**
     * An element.
     *
     * @param endsInterval whether its key is the first one behind a range, which the element before begins
     */
    record Entry(NftElement element, boolean endsInterval) {}

    /** What a random number leads to: the map of an index to the data. */
    static NftAnonymousSet byIndex(List<NftDatatype> type, List<? extends NftData> data) {
        List<Entry> entries = new ArrayList<>(data.size());
        for (int i = 0; i < data.size(); i++) {
            entries.add(new Entry(NftElement.of(NftValue.of(i), data.get(i)), false));
        }
        return new NftAnonymousSet(List.of(NftDatatype.INTEGER), type, false, entries);
    }

    /** The addresses of sorted networks. Neighbours become one range ({@code nft_set_rbtree} of the kernel). */
    static NftAnonymousSet of(NftDatatype type, List<Cidr> networks) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < networks.size(); i++) {
            Cidr network = networks.get(i);
            if (i == 0 || !isBehind(networks.get(i - 1), network.address())) {
                entries.add(new Entry(NftElement.of(NftValue.of(network.address())), false));
            }
            boolean continued = i + 1 < networks.size()
                    && isBehind(network, networks.get(i + 1).address());
            IpAddress behind = network.last().plus(1);
            // Nothing ends a range up to the highest address.
            if (!continued && behind.compareTo(network.address()) > 0) {
                entries.add(new Entry(NftElement.of(NftValue.of(behind)), true));
            }
        }
        return new NftAnonymousSet(List.of(type), List.of(), true, entries);
    }

    private static boolean isBehind(Cidr network, IpAddress address) {
        return network.last().plus(1).equals(address);
    }

    /** The kernel puts a number in the place of {@code %d}. */
    String name() {
        return data.isEmpty() ? "__set%d" : "__map%d";
    }

    int flags() {
        return NftMessages.FLAG_ANONYMOUS
                | NftMessages.FLAG_CONSTANT
                | (interval ? NftMessages.FLAG_INTERVAL : 0)
                | (data.isEmpty() ? 0 : NftMessages.FLAG_MAP);
    }
}
