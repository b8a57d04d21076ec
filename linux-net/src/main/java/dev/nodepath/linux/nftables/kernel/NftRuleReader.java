package dev.nodepath.linux.nftables.kernel;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Reads a listed rule: its handle, its comment and its jump. */
final class NftRuleReader {
    private NftRuleReader() {}

    /** Reads a listed rule. An old kernel also lists rules of other chains, which the caller drops. */
    static NftListedRule read(NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(NftMessages.NFGENMSG_BYTES);
        byte[] handle = attributes.bytes(NftMessages.RULE_HANDLE);
        byte[] userData = attributes.bytes(NftMessages.RULE_USERDATA);
        return new NftListedRule(
                handle == null ? 0 : ByteBuffer.wrap(handle).getLong(),
                userData == null ? "" : NftUserData.comment(userData));
    }

    /** Reads the jump of a listed rule; empty if it does not jump to a chain. */
    static Optional<NftJump> readJump(NetlinkMessage message) {
        return NftJumpReader.read(
                read(message), message.attributes(NftMessages.NFGENMSG_BYTES).nested(NftMessages.RULE_EXPRESSIONS));
    }

    /** Whether a listed rule is one of this chain. */
    static boolean isOf(NftChain chain, NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(NftMessages.NFGENMSG_BYTES);
        return attributes.text(NftMessages.RULE_TABLE).equals(chain.table().name())
                && attributes.text(NftMessages.RULE_CHAIN).equals(chain.name());
    }
}
