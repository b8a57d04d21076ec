package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the counters of listed rules. */
final class NftCounterReader {
    /** {@code NFTA_COUNTER_PACKETS}: 8 bytes in network order. */
    private static final int COUNTER_PACKETS = 2;

    private NftCounterReader() {}

    /** The packets of a table's counters, by chain. An old kernel also lists rules of other tables. */
    static Map<String, Long> byChain(NftTable table, List<NetlinkMessage> rules) {
        Map<String, Long> packets = new HashMap<>();
        for (NetlinkMessage message : rules) {
            NetlinkAttributes rule = message.attributes(NftMessages.NFGENMSG_BYTES);
            if (rule.text(NftMessages.RULE_TABLE).equals(table.name())) {
                for (NftExpression expression : NftExpression.all(rule.nested(NftMessages.RULE_EXPRESSIONS))) {
                    byte[] counted =
                            expression.is("counter") ? expression.data().bytes(COUNTER_PACKETS) : null;
                    if (counted != null) {
                        packets.merge(
                                rule.text(NftMessages.RULE_CHAIN),
                                ByteBuffer.wrap(counted).getLong(),
                                Long::sum);
                    }
                }
            }
        }
        return packets;
    }
}
