package dev.nodepath.linux.nftables;

import dev.nodepath.linux.packet.PacketHeader;
import java.util.Optional;

/**
 * One event of a traced packet.
 *
 * @param id of the packet. The kernel makes the number from the packet's place in memory, so it may change on the way.
 * @param table that it met
 * @param chain of that table
 * @param kind what happened
 * @param handle of the rule; 0 if the kind is not {@link Kind#RULE}
 * @param verdict empty for a verdict that no rule of ours has, such as "stolen"
 * @param packet its header, when it enters a base chain; empty for all that follows in that chain
 */
public record TraceEvent(
        int id,
        NftTable table,
        String chain,
        Kind kind,
        long handle,
        Optional<NftVerdict> verdict,
        Optional<PacketHeader> packet) {
    /** The place of an event. */
    public enum Kind {
        /** A rule with all matches fulfilled. */
        RULE,
        /** The end of a chain without a verdict. */
        RETURN,
        /** The end of a base chain. */
        POLICY
    }
}
