package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * What the kernel lists of an anonymous set.
 *
 * @param interval whether its elements are ranges
 * @param entries its elements, in any order
 */
record NftSetContent(boolean interval, List<NftAnonymousSet.Entry> entries) {

    /** What each index from 0 leads to; empty if the keys are not the numbers from 0 on. */
    List<NftData> byIndex() {
        NftData[] data = new NftData[entries.size()];
        for (NftAnonymousSet.Entry entry : entries) {
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
        List<NftAnonymousSet.Entry> sorted = new ArrayList<>(entries);
        sorted.sort(Comparator.comparing(
                        (NftAnonymousSet.Entry entry) -> entry.element().key())
                .thenComparing(entry -> entry.edge() != NftAnonymousSet.Edge.BEHIND));
        List<Cidr> networks = new ArrayList<>();
        for (int i = 0; i < sorted.size(); i++) {
            IpAddress first = address(sorted.get(i));
            if (!interval) {
                networks.add(Cidr.single(first));
            } else if (sorted.get(i).edge() != NftAnonymousSet.Edge.BEHIND) {
                IpAddress behind =
                        i + 1 < sorted.size() ? address(sorted.get(i + 1)) : NftAddressRange.lowest(first.family());
                networks.addAll(new NftAddressRange(first, behind.plus(-1)).networks());
            }
        }
        return networks;
    }

    private static IpAddress address(NftAnonymousSet.Entry entry) {
        return IpAddress.of(entry.element().key().bytes());
    }
}
