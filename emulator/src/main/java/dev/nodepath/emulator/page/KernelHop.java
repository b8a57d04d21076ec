package dev.nodepath.emulator.page;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.Optional;

/**
 * A rule of a node's kernel that matched a packet.
 *
 * @param node the node of the kernel
 * @param table with its family, such as {@code ip nat}
 * @param chain of the table
 * @param rule as the kernel's own tools list it, without its chain
 * @param effect how it rewrites or refuses the packet; else no effect
 * @param verdict empty if none of our rules has such a verdict
 */
record KernelHop(String node, String table, String chain, String rule, Effect effect, Optional<NftVerdict> verdict) {
    /** Chain and rule, in the words for people. */
    String text() {
        return chain + ": " + rule;
    }
}
