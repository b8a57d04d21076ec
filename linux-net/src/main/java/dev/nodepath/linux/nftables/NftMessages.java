package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Requests of nf_tables, and how a rule is read ({@code include/uapi/linux/netfilter/nf_tables.h}, {@code
 * nfnetlink.h}). Unlike elsewhere in netlink, numbers are in network byte order. {@link NftExpressions} writes the
 * content of a rule.
 */
final class NftMessages {
    private static final int SUBSYSTEM = 10;
    private static final int BATCH_BEGIN = 0x10;
    private static final int BATCH_END = 0x11;
    private static final int NEWTABLE = SUBSYSTEM << 8;
    private static final int DELTABLE = SUBSYSTEM << 8 | 2;
    private static final int NEWCHAIN = SUBSYSTEM << 8 | 3;
    private static final int DELCHAIN = SUBSYSTEM << 8 | 5;
    private static final int NEWRULE = SUBSYSTEM << 8 | 6;
    private static final int GETRULE = SUBSYSTEM << 8 | 7;
    private static final int DELRULE = SUBSYSTEM << 8 | 8;
    private static final int NLM_F_APPEND = 0x800;

    private static final int NFGENMSG_BYTES = 4;
    private static final int TABLE_NAME = 1;
    private static final int CHAIN_TABLE = 1;
    private static final int CHAIN_NAME = 3;
    private static final int CHAIN_HOOK = 4;
    private static final int CHAIN_TYPE = 7;
    private static final int HOOK_NUMBER = 1;
    private static final int HOOK_PRIORITY = 2;
    private static final int RULE_TABLE = 1;
    private static final int RULE_CHAIN = 2;
    private static final int RULE_HANDLE = 3;
    private static final int RULE_EXPRESSIONS = 4;
    private static final int RULE_USERDATA = 7;
    /** libnftnl's {@code NFTNL_UDATA_RULE_COMMENT}, so that {@code nft list} shows it: type, length, text, zero byte. */
    private static final int USERDATA_COMMENT = 0;

    private static final int COMMENT_BYTES_MAX = 127;

    private NftMessages() {}

    static NetlinkRequest listRules(NftChain chain) {
        return header(NetlinkRequest.dump(GETRULE), chain.family().number())
                .attribute(RULE_TABLE, chain.table())
                .attribute(RULE_CHAIN, chain.name());
    }

    /** Reads a listed rule. An old kernel also lists rules of other chains, which the caller drops. */
    static NftListedRule read(NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(NFGENMSG_BYTES);
        byte[] handle = attributes.bytes(RULE_HANDLE);
        byte[] userData = attributes.bytes(RULE_USERDATA);
        return new NftListedRule(
                handle == null ? 0 : ByteBuffer.wrap(handle).getLong(), userData == null ? "" : comment(userData));
    }

    /** Reads the jump of a listed rule; empty if it does not jump to a chain. */
    static Optional<NftJump> readJump(NetlinkMessage message) {
        return NftJumpReader.read(
                read(message), message.attributes(NFGENMSG_BYTES).nested(RULE_EXPRESSIONS));
    }

    /** Whether a listed rule is one of this chain. */
    static boolean isOf(NftChain chain, NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(NFGENMSG_BYTES);
        return attributes.text(RULE_TABLE).equals(chain.table())
                && attributes.text(RULE_CHAIN).equals(chain.name());
    }

    /**
     * The changes as one transaction. Only the last change requests an acknowledgement. The kernel replies in order, so
     * the first reply, an error or that acknowledgement, is the result of the transaction.
     */
    static List<NetlinkRequest> transaction(List<NftChange> changes) {
        List<NetlinkRequest> parts = new ArrayList<>();
        parts.add(batch(BATCH_BEGIN));
        for (int i = 0; i < changes.size(); i++) {
            addParts(parts, changes.get(i), i == changes.size() - 1 ? NetlinkRequest.ACK : 0);
        }
        parts.add(batch(BATCH_END));
        return parts;
    }

    private static void addParts(List<NetlinkRequest> parts, NftChange change, int ack) {
        NftChain chain = change.chain();
        int family = chain.family().number();
        if (change instanceof NftChange.AddChain) {
            parts.add(header(NetlinkRequest.plain(NEWTABLE, NetlinkRequest.CREATE), family)
                    .attribute(TABLE_NAME, chain.table()));
            parts.add(newChain(chain, ack));
        } else if (change instanceof NftChange.DeleteChain) {
            parts.add(header(NetlinkRequest.plain(DELCHAIN, ack), family)
                    .attribute(CHAIN_TABLE, chain.table())
                    .attribute(CHAIN_NAME, chain.name()));
        } else if (change instanceof NftChange.DeleteTable) {
            parts.add(header(NetlinkRequest.plain(DELTABLE, ack), family).attribute(TABLE_NAME, chain.table()));
        } else if (change instanceof NftChange.FlushChain) {
            parts.add(rule(DELRULE, ack, chain));
        } else if (change instanceof NftChange.DeleteRule deletion) {
            parts.add(rule(DELRULE, ack, chain)
                    .attribute(
                            RULE_HANDLE,
                            ByteBuffer.allocate(8).putLong(deletion.handle()).array()));
        } else if (change instanceof NftChange.AddRule addition) {
            parts.add(newRule(addition, ack));
        }
    }

    private static NetlinkRequest newChain(NftChain chain, int ack) {
        NetlinkRequest request = header(
                        NetlinkRequest.plain(NEWCHAIN, NetlinkRequest.CREATE | ack),
                        chain.family().number())
                .attribute(CHAIN_TABLE, chain.table())
                .attribute(CHAIN_NAME, chain.name());
        if (chain.hook().isPresent()) {
            NftChain.Hook hook = chain.hook().get();
            int nested = request.begin(CHAIN_HOOK | NetlinkRequest.NESTED);
            number(request, HOOK_NUMBER, hook.number());
            number(request, HOOK_PRIORITY, hook.priority());
            request.end(nested).attribute(CHAIN_TYPE, hook.type());
        }
        return request;
    }

    private static NetlinkRequest newRule(NftChange.AddRule addition, int ack) {
        NetlinkRequest request = rule(NEWRULE, NetlinkRequest.CREATE | NLM_F_APPEND | ack, addition.chain());
        int expressions = request.begin(RULE_EXPRESSIONS | NetlinkRequest.NESTED);
        NftExpressions writer = new NftExpressions(request);
        for (NftStatement statement : addition.rule().statements()) {
            writer.write(statement);
        }
        return request.end(expressions)
                .attribute(RULE_USERDATA, userData(addition.rule().comment()));
    }

    private static NetlinkRequest rule(int type, int flags, NftChain chain) {
        return header(NetlinkRequest.plain(type, flags), chain.family().number())
                .attribute(RULE_TABLE, chain.table())
                .attribute(RULE_CHAIN, chain.name());
    }

    /** A number of 4 bytes in network order. */
    static NetlinkRequest number(NetlinkRequest request, int type, int value) {
        return request.attribute(type, ByteBuffer.allocate(4).putInt(value).array());
    }

    private static byte[] userData(String comment) {
        byte[] text = comment.getBytes(StandardCharsets.UTF_8);
        if (text.length > COMMENT_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "comment: " + text.length + " bytes (expected: at most " + COMMENT_BYTES_MAX + ")");
        }
        return ByteBuffer.allocate(text.length + 3)
                .put((byte) USERDATA_COMMENT)
                .put((byte) (text.length + 1))
                .put(text)
                .array();
    }

    private static String comment(byte[] userData) {
        int at = 0;
        while (at + 2 <= userData.length) {
            int end = Math.min(userData.length, at + 2 + (userData[at + 1] & 0xFF));
            if (userData[at] == USERDATA_COMMENT) {
                String text = new String(Arrays.copyOfRange(userData, at + 2, end), StandardCharsets.UTF_8);
                return text.endsWith("\0") ? text.substring(0, text.length() - 1) : text;
            }
            at = end;
        }
        return "";
    }

    private static NetlinkRequest batch(int type) {
        return NetlinkRequest.plain(type, 0).putByte(0).putByte(0).putByte(0).putByte(SUBSYSTEM);
    }

    /** {@code struct nfgenmsg}. */
    private static NetlinkRequest header(NetlinkRequest request, int family) {
        return request.putByte(family).putByte(0).putShort(0);
    }
}
