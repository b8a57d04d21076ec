package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a listed set or map, without elements that change. */
final class NftSetReader {
    private static final int DYNAMIC = NftMessages.FLAG_TIMEOUT | NftMessages.FLAG_EVALUATED;

    private static final List<List<NftDatatype>> ADDRESSES =
            List.of(List.of(NftDatatype.IPV4_ADDR), List.of(NftDatatype.IPV6_ADDR));

    private NftSetReader() {}

    /**
     * The set. It has no key fields if {@link NftSet} cannot describe it.
     *
     * @param content of a set of ranges; empty for any other
     */
    static NftSet read(NftTable table, NetlinkAttributes attributes, Optional<NftSetContent> content) {
        String comment = NftUserData.setComment(attributes.bytes(NftMessages.SET_USERDATA));
        List<NftDatatype> key = types(attributes.networkNumber(NftMessages.SET_KEY_TYPE));
        List<NftDatatype> data = types(attributes.networkNumber(NftMessages.SET_DATA_TYPE));
        String name = attributes.text(NftMessages.SET_NAME);
        int flags = attributes.networkNumber(NftMessages.SET_FLAGS);
        boolean map = (flags & NftMessages.FLAG_MAP) != 0;
        int size = attributes.nested(NftMessages.SET_DESCRIPTION).networkNumber(NftMessages.DESCRIPTION_SIZE);
        Duration timeout = timeout(attributes);
        int others = flags & ~NftMessages.FLAG_MAP;
        boolean known = (others == 0 && size == 0 && timeout.isZero())
                || (others == DYNAMIC && size == NftSet.DYNAMIC_SIZE && !timeout.isZero())
                || content.filter(each -> !each.entries().isEmpty()).isPresent();
        return new NftSet(
                table,
                name,
                known && map != data.isEmpty() ? key : List.of(),
                data,
                timeout,
                content.map(NftSetContent::ranges).orElse(List.of()),
                comment);
    }

    /** Whether a listed set is constant and has single addresses as keys. */
    static boolean isOfRanges(NetlinkAttributes attributes) {
        int flags = attributes.networkNumber(NftMessages.SET_FLAGS);
        return (flags & ~NftMessages.FLAG_INTERVAL) == NftMessages.FLAG_CONSTANT
                && ADDRESSES.contains(types(attributes.networkNumber(NftMessages.SET_KEY_TYPE)));
    }

    private static Duration timeout(NetlinkAttributes attributes) {
        byte[] millis = attributes.bytes(NftMessages.SET_TIMEOUT);
        return millis == null
                ? Duration.ZERO
                : Duration.ofMillis(ByteBuffer.wrap(millis).getLong());
    }

    /** The fields of a type, see {@link NftMessages#type}; none if one of them is unknown. */
    private static List<NftDatatype> types(int type) {
        if (type == NftDatatype.VERDICT.number()) {
            return List.of(NftDatatype.VERDICT);
        }
        List<NftDatatype> fields = new ArrayList<>();
        for (int rest = type; rest != 0; rest >>>= NftMessages.TYPE_BITS) {
            NftDatatype field = NftDatatype.of(rest & (1 << NftMessages.TYPE_BITS) - 1);
            if (field == null) {
                return List.of();
            }
            fields.add(0, field);
        }
        return fields;
    }
}
