package dev.nodepath.linux.nftables;

import java.util.List;
import java.util.Optional;

/**
 * A chain of nf_tables.
 *
 * @param table its table
 * @param name at most 255 bytes
 * @param hook the hook of a base chain; empty for a chain that only jumps reach
 * @param comment shown in listings, at most 127 bytes; empty for none
 */
public record NftChain(NftTable table, String name, Optional<Hook> hook, String comment) {

    /** A chain without a comment. */
    public NftChain(NftTable table, String name, Optional<Hook> hook) {
        this(table, name, hook, "");
    }

    /**
     * A netfilter hook.
     *
     * @param type {@code filter} or {@code nat}
     * @param number the kernel's, which depends on the family
     * @param priority the lowest comes first
     * @param drops whether packets that reach the end of the chain are dropped; otherwise they go on
     */
    public record Hook(String type, int number, int priority, boolean drops) {
        /** The hooks of the IP families ({@code NF_INET_*}), by number. */
        private static final List<String> NAMES = List.of("prerouting", "input", "forward", "output", "postrouting");

        /** A hook whose chain accepts packets that reach its end. */
        public Hook(String type, int number, int priority) {
            this(type, number, priority, false);
        }

        /** Postrouting of {@code inet}, for source NAT. */
        public static final Hook POSTROUTING_NAT = new Hook("nat", 4, 100);

        /** Prerouting of {@code bridge}, before any NAT. */
        public static final Hook BRIDGE_PREROUTING = new Hook("filter", 0, -300);

        /** The name of a hook of an IP family, such as {@code prerouting}. */
        public String name() {
            return NAMES.get(number);
        }

        /**
         * A hook of an IP family.
         *
         * @param name {@code prerouting}, {@code input}, {@code forward}, {@code output} or {@code postrouting}
         */
        public static Hook of(String type, String name, int priority) {
            return new Hook(type, NAMES.indexOf(name), priority);
        }
    }
}
