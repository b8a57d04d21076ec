package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Reads a listed rule: its handle, its comment, its jump and the address that it jumps for. */
final class NftRuleReader {
    private static final int IMMEDIATE_DATA = 2;
    private static final int MATCH_NAME = 1;
    private static final int MATCH_INFO = 3;

    private NftRuleReader() {}

    /** Reads a listed rule. An old kernel also lists rules of other chains, which the caller drops. */
    static NftListedRule read(NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(NftMessages.NFGENMSG_BYTES);
        byte[] handle = attributes.bytes(NftMessages.RULE_HANDLE);
        return new NftListedRule(
                handle == null ? 0 : ByteBuffer.wrap(handle).getLong(),
                NftUserData.comment(attributes.bytes(NftMessages.RULE_USERDATA)));
    }

    /**
     * Reads the jump of a listed rule; empty if it does not jump to a chain. iptables stores a comment as a match
     * ({@code xt_comment.h}).
     */
    static Optional<NftJump> readJump(NetlinkMessage message) {
        NftListedRule rule = read(message);
        String target = "";
        String comment = rule.comment();
        Optional<IpAddress> source = Optional.empty();
        NftExpression before = NftExpression.NONE;
        NetlinkAttributes expressions =
                message.attributes(NftMessages.NFGENMSG_BYTES).nested(NftMessages.RULE_EXPRESSIONS);
        for (NftExpression expression : NftExpression.all(expressions)) {
            if (expression.is("immediate")) {
                target = expression
                        .data()
                        .nested(IMMEDIATE_DATA)
                        .nested(NftMessages.DATA_VERDICT)
                        .text(NftMessages.VERDICT_CHAIN);
            } else if (expression.is("match")
                    && expression.data().text(MATCH_NAME).equals("comment")) {
                comment = expression.data().text(MATCH_INFO);
            } else if (isSource(before) && expression.isCompare(NftExpressions.EQUAL)) {
                byte[] address = expression.value(3);
                source = address.length == before.number(4) ? Optional.of(IpAddress.of(address)) : Optional.empty();
            }
            before = expression;
        }
        return target.isEmpty() ? Optional.empty() : Optional.of(new NftJump(rule.handle(), target, comment, source));
    }

    /** Whether it loads a whole source address. A network is compared by its first bytes, or behind a mask. */
    private static boolean isSource(NftExpression expression) {
        for (IpFamily ip : IpFamily.values()) {
            int offset = NftHeaders.offset(NftField.SOURCE_ADDRESS, ip);
            if (expression.isPayload(NftExpressions.BASE_NETWORK, offset, ip.bits() / 8, NftExpressions.REGISTER)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a listed rule is one of this chain. */
    static boolean isOf(NftChain chain, NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(NftMessages.NFGENMSG_BYTES);
        return attributes.text(NftMessages.RULE_TABLE).equals(chain.table().name())
                && attributes.text(NftMessages.RULE_CHAIN).equals(chain.name());
    }
}
