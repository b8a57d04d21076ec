package dev.nodepath.linux.nftables;

import java.util.List;

/**
 * A rule of nf_tables.
 *
 * @param comment tells it from others when rules are listed; at most 127 bytes
 */
public record NftRule(List<NftStatement> statements, String comment) {

    /** Makes the list immutable. */
    public NftRule {
        statements = List.copyOf(statements);
    }
}
