package dev.nodepath.linux.nftables;

import java.util.Locale;

/**
 * The fate of a packet: the last statement of a rule, or the content of a verdict map.
 *
 * @param kind what happens
 * @param chain the chain that goes on; empty unless the kind is JUMP or GOTO
 */
public record NftVerdict(Kind kind, String chain) implements NftStatement, NftData {
    public static final NftVerdict ACCEPT = new NftVerdict(Kind.ACCEPT, "");
    public static final NftVerdict DROP = new NftVerdict(Kind.DROP, "");
    public static final NftVerdict RETURN = new NftVerdict(Kind.RETURN, "");

    /** Kinds of verdicts, with the kernel's codes ({@code nf_tables.h}, {@code netfilter.h}). */
    public enum Kind {
        DROP(0),
        ACCEPT(1),
        /** The next rule of the chain. */
        CONTINUE(-1),
        /** Another chain, then the next rule. */
        JUMP(-3),
        /** Another chain, which returns to the caller of this one. */
        GOTO(-4),
        /** Back to the calling chain. */
        RETURN(-5);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }
    }

    /** Continues in a chain, and returns to the next rule. */
    public static NftVerdict jump(String chain) {
        return new NftVerdict(Kind.JUMP, chain);
    }

    /** Continues in a chain, and does not return to this one. */
    public static NftVerdict to(String chain) {
        return new NftVerdict(Kind.GOTO, chain);
    }

    /** As in {@code nft}: {@code goto NAME}. */
    @Override
    public String toString() {
        String word = kind.name().toLowerCase(Locale.ROOT);
        return chain.isEmpty() ? word : word + " " + chain;
    }
}
