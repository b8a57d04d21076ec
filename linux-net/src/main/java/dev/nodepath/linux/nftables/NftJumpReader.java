package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Finds where a listed rule leads to, among its expressions ({@code nf_tables.h}). A comment of iptables is a match of its own
 * there ({@code xt_comment.h}), as it knows no other place for one.
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

    /** The rule; empty if it leads to no chain. */
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
