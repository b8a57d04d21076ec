package dev.nodepath.linux.nftables.kernel;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Finds the jump of a listed rule in its expressions ({@code nf_tables.h}). iptables stores a comment as a match
 * ({@code xt_comment.h}).
 */
final class NftJumpReader {
    private static final int LIST_ELEMENT = 1;
    private static final int NAME = 1;
    private static final int DATA = 2;
    private static final int IMMEDIATE_DATA = 2;
    private static final int DATA_VERDICT = 2;
    private static final int VERDICT_CHAIN = 2;
    private static final int MATCH_NAME = 1;
    private static final int MATCH_INFO = 3;

    private NftJumpReader() {}

    /** The rule; empty if it does not jump to a chain. */
    static Optional<NftJump> read(NftListedRule rule, NetlinkAttributes expressions) {
        String target = "";
        String comment = rule.comment();
        for (ByteBuffer element : expressions.each(LIST_ELEMENT)) {
            NetlinkAttributes expression = NetlinkAttributes.parse(element);
            NetlinkAttributes data = expression.nested(DATA);
            String name = expression.text(NAME);
            if (name.equals("immediate")) {
                target = data.nested(IMMEDIATE_DATA).nested(DATA_VERDICT).text(VERDICT_CHAIN);
            } else if (name.equals("match") && data.text(MATCH_NAME).equals("comment")) {
                comment = data.text(MATCH_INFO);
            }
        }
        return target.isEmpty() ? Optional.empty() : Optional.of(new NftJump(rule.handle(), target, comment));
    }
}
