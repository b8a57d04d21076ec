package dev.nodepath.linux.iptables;

/**
 * A jump from a built-in chain to one of our chains.
 *
 * @param table the table of both chains
 * @param builtin the kernel's chain, such as PREROUTING
 * @param position the end of the chain that holds the jump
 * @param rule the jump; its target is a {@link Target.Jump}
 */
public record Hook(Table table, String builtin, Position position, Rule rule) {
    /** An end of a chain. */
    public enum Position {
        FIRST,
        LAST
    }

    /** The target chain of the jump. */
    public String chain() {
        if (rule.target() instanceof Target.Jump jump) {
            return jump.chain();
        }
        throw new IllegalStateException("hook of " + builtin + " is no jump: " + rule);
    }
}
