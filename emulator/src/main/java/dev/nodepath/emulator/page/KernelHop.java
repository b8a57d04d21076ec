package dev.nodepath.emulator.page;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.Optional;

/**
 * A rule of a node's kernel that took a packet on.
 *
 * @param node whose kernel says so
 * @param table with its family, such as {@code ip nat}
 * @param chain of the table
 * @param rule as the kernel's own tools list it, without its chain
 * @param effect how it rewrites or refuses the packet; else nothing
 * @param verdict empty if no rule of ours has such a one
 */
record KernelHop(String node, String table, String chain, String rule, Effect effect, Optional<NftVerdict> verdict) {
    /** Chain and rule, as they are told to people. */
    String text() {
        return chain + ": " + rule;
    }
}
