package dev.nodepath.linux.nftables;

import java.util.List;

/**
 * A rule of nf_tables.
 *
 * @param comment identifies the rule in listings; at most 127 bytes
 */
public record NftRule(List<NftStatement> statements, String comment) {

    public NftRule {
        statements = List.copyOf(statements);
    }

    /** A rule without a comment. */
    public static NftRule of(NftStatement... statements) {
        return new NftRule(List.of(statements), "");
    }
}
