package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads listed elements of a set ({@code NFTA_SET_ELEM_*}). */
final class NftElementReader {
    private static final int INTERVAL_END = 1;

    private NftElementReader() {}

    static List<NftSetContent.Entry> read(List<NetlinkMessage> dump) {
        List<NftSetContent.Entry> entries = new ArrayList<>();
        for (NetlinkMessage message : dump) {
            NetlinkAttributes list =
                    message.attributes(NftMessages.NFGENMSG_BYTES).nested(NftMessages.ELEMENTS_LIST);
            for (ByteBuffer element : list.each(NftMessages.LIST_ELEMENT)) {
                entries.add(entry(NetlinkAttributes.parse(element)));
            }
        }
        return entries;
    }

    private static NftSetContent.Entry entry(NetlinkAttributes element) {
        byte[] key = element.nested(NftMessages.ELEMENT_KEY).bytes(NftMessages.DATA_VALUE);
        boolean behind = (element.networkNumber(NftMessages.ELEMENT_FLAGS) & INTERVAL_END) != 0;
        return new NftSetContent.Entry(
                new NftElement(
                        NftValue.of(key == null ? new byte[0] : key),
                        data(element),
                        NftUserData.comment(element.bytes(NftMessages.ELEMENT_USERDATA))),
                behind ? NftSetContent.Edge.BEHIND : NftSetContent.Edge.FIRST);
    }

    private static Optional<NftData> data(NetlinkAttributes element) {
        if (!element.has(NftMessages.ELEMENT_DATA)) {
            return Optional.empty();
        }
        NetlinkAttributes data = element.nested(NftMessages.ELEMENT_DATA);
        byte[] value = data.bytes(NftMessages.DATA_VALUE);
        return value == null ? Optional.ofNullable(verdict(data)) : Optional.of(NftValue.of(value));
    }

    /** The verdict in a {@code NFTA_DATA} attribute; null without one, or for a kind unknown here. */
    static @Nullable NftVerdict verdict(NetlinkAttributes data) {
        NetlinkAttributes verdict = data.nested(NftMessages.DATA_VERDICT);
        int code = verdict.networkNumber(NftMessages.VERDICT_CODE);
        String chain = verdict.text(NftMessages.VERDICT_CHAIN);
        for (NftVerdict.Kind kind : NftVerdict.Kind.values()) {
            if (kind.code() == code && data.has(NftMessages.DATA_VERDICT)) {
                return new NftVerdict(kind, chain);
            }
        }
        return null;
    }
}
