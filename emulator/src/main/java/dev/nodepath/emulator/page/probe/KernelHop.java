package dev.nodepath.emulator.page.probe;

/**
 * A rule of a node's kernel that took a packet on.
 *
 * @param node whose kernel says so
 * @param table with its family, such as {@code ip nat}
 * @param chain of the table
 * @param rule as the kernel's own tools list it, without its chain
 * @param verdict as {@code nft} writes it; empty if no rule of ours has such a one
 */
record KernelHop(String node, String table, String chain, String rule, String verdict) {
    /** Chain and rule, as they are told to people. */
    String text() {
        return chain + ": " + rule;
    }
}
