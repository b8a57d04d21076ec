package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.Cidr;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A set or map without a name of its own: it belongs to one rule, and ends with it.
 *
 * @param content its elements
 */
record NftAnonymousSet(String name, List<NftDatatype> key, List<NftDatatype> data, NftSetContent content) {
    private static final int NAMES_OF_PROCESSES = 1 << 24;

    /**
     * Distinguishes our names from those of other processes. {@code nft} leaves the name to the kernel, which then
     * reads the names of all sets of the table to find a free number. The kernel compares names very often, and short
     * ones take less time.
     */
    private static final String OF_PROCESS =
            "-" + Integer.toString(new SecureRandom().nextInt(NAMES_OF_PROCESSES), Character.MAX_RADIX);

    private static final AtomicLong COUNT = new AtomicLong();

    /** A set with a name that no other has. */
    private NftAnonymousSet(List<NftDatatype> key, List<NftDatatype> data, NftSetContent content) {
        this(Long.toString(COUNT.incrementAndGet(), Character.MAX_RADIX) + OF_PROCESS, key, data, content);
    }

    /** The map for a random number: an index to the data. */
    static NftAnonymousSet byIndex(List<NftDatatype> type, List<? extends NftData> data) {
        List<NftSetContent.Entry> entries = new ArrayList<>(data.size());
        for (int i = 0; i < data.size(); i++) {
            NftElement element = NftElement.of(NftValue.of(i), data.get(i));
            entries.add(new NftSetContent.Entry(element, NftSetContent.Edge.FIRST));
        }
        return new NftAnonymousSet(List.of(NftDatatype.INTEGER), type, new NftSetContent(false, entries));
    }

    /** The addresses of networks. */
    static NftAnonymousSet of(NftDatatype type, List<Cidr> networks) {
        return new NftAnonymousSet(List.of(type), List.of(), NftSetContent.of(networks));
    }
}
