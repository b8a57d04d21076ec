package dev.nodepath.linux.iptables.rule;

/**
 * A jump from a chain that the kernel has into one of ours.
 *
 * @param table where
 * @param builtin the kernel's chain, such as PREROUTING
 * @param position at which end of it the jump stands
 * @param rule the jump; its target is a {@link Target.Jump}
 */
public record Hook(Table table, String builtin, Position position, Rule rule) {
    /** An end of a chain. */
    public enum Position {
        FIRST,
        LAST
    }

    /** The chain of ours that the jump leads to. */
    public String chain() {
        if (rule.target() instanceof Target.Jump jump) {
            return jump.chain();
        }
        throw new IllegalStateException("hook of " + builtin + " is no jump: " + rule);
    }
}
