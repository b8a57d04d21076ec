package dev.nodepath.linux.nftables;

import java.util.Optional;

/**
 * A chain of nf_tables.
 *
 * @param family of its table
 * @param table name of its table
 * @param name at most 255 characters
 * @param hook the hook of a base chain; empty for a chain that only jumps reach
 */
public record NftChain(Family family, String table, String name, Optional<Hook> hook) {

    /** The families of tables that are used here ({@code NFPROTO_*} of the kernel). */
    public enum Family {
        INET(1),
        IPV4(2),
        BRIDGE(7),
        IPV6(10);

        private final int number;

        Family(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }
    }

    /**
     * A netfilter hook.
     *
     * @param type {@code filter} or {@code nat}
     * @param number the kernel's, which depends on the family
     * @param priority the lowest comes first
     */
    public record Hook(String type, int number, int priority) {
        /** Postrouting of {@code inet}, for source NAT. */
        public static final Hook POSTROUTING_NAT = new Hook("nat", 4, 100);

        /** Prerouting of {@code bridge}, before any NAT. */
        public static final Hook BRIDGE_PREROUTING = new Hook("filter", 0, -300);
    }
}
