package dev.nodepath.linux.nftables;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A table with its content as a value: desired, or in the kernel. Anonymous sets are part of the rules that use them.
 * Elements added by packets are left out.
 *
 * @param table which one
 * @param comment of the table; empty for none
 * @param dormant whether the table sees no packets. A program sets this flag; it is never desired
 * @param chains each chain with its rules in order, by name
 * @param sets each set with its elements, by name
 */
public record NftTableState(
        NftTable table,
        String comment,
        boolean dormant,
        SortedMap<String, Chain> chains,
        SortedMap<String, Elements> sets) {

    /** A table that sees packets. */
    public NftTableState(
            NftTable table, String comment, SortedMap<String, Chain> chains, SortedMap<String, Elements> sets) {
        this(table, comment, false, chains, sets);
    }

    public NftTableState {
        chains = Collections.unmodifiableSortedMap(new TreeMap<>(chains));
        sets = Collections.unmodifiableSortedMap(new TreeMap<>(sets));
    }

    /** A chain with its rules. */
    public record Chain(NftChain chain, List<NftRule> rules) {
        public Chain {
            rules = List.copyOf(rules);
        }
    }

    /** A set with its elements by key. */
    public record Elements(NftSet set, Map<NftValue, NftElement> elements) {
        public Elements {
            elements = Map.copyOf(elements);
        }
    }
}
