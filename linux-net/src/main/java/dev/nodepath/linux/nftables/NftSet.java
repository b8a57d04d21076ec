package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.AddressRange;
import java.time.Duration;
import java.util.List;

/**
 * A named set or map of nf_tables, without its elements, but with its ranges.
 *
 * @param table its table
 * @param name at most 255 bytes
 * @param key the fields of a key, at most 64 bytes when each is padded to 4. {@link NftTables#read} finds no fields
 *     for a set with a type or properties that are unknown here.
 * @param data the fields of a map's content, {@link NftDatatype#VERDICT} alone for verdicts; empty for a set
 * @param timeout how long packets keep an element that they add; zero if packets add none
 * @param ranges the addresses of a constant set, {@link AddressRange#merged}; none for any other set
 * @param comment shown in listings; empty for none. At most 127 bytes, or 60 if the key is a concatenation with an
 *     integer
 */
public record NftSet(
        NftTable table,
        String name,
        List<NftDatatype> key,
        List<NftDatatype> data,
        Duration timeout,
        List<AddressRange> ranges,
        String comment) {

    /** The most elements of a set that packets add to: {@code nft}'s default. */
    public static final int DYNAMIC_SIZE = 65_535;

    public NftSet {
        key = List.copyOf(key);
        data = List.copyOf(data);
        ranges = List.copyOf(AddressRange.merged(ranges));
    }

    /** A set or map without ranges. */
    public NftSet(
            NftTable table,
            String name,
            List<NftDatatype> key,
            List<NftDatatype> data,
            Duration timeout,
            String comment) {
        this(table, name, key, data, timeout, List.of(), comment);
    }

    /** A set of these ranges, at least one, all of one family. */
    public static NftSet ofRanges(NftTable table, String name, NftDatatype type, List<AddressRange> ranges) {
        return new NftSet(table, name, List.of(type), List.of(), Duration.ZERO, ranges, "");
    }

    /** A set or map that only transactions change. */
    public NftSet(NftTable table, String name, List<NftDatatype> key, List<NftDatatype> data, String comment) {
        this(table, name, key, data, Duration.ZERO, comment);
    }

    /** Whether packets add elements, which expire. */
    public boolean isDynamic() {
        return !timeout.isZero();
    }

    /** Whether it has a value or verdict for each key. */
    public boolean isMap() {
        return !data.isEmpty();
    }
}
