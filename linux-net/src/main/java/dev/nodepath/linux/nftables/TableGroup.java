package dev.nodepath.linux.nftables;

import java.util.List;

/**
 * The part of one owner in the table, such as a service port.
 *
 * @param chains its chains with their rules. Two groups may have an equal chain; it stays as long as one of them has
 *     it
 * @param sets its sets, to which packets or other groups add elements. Two groups may have an equal set
 * @param elements its elements in the sets of the frame and of other groups. An absent set gets none. Two groups may
 *     add elements with the same key: the group with the first name in order wins
 */
public record TableGroup(List<NftTableState.Chain> chains, List<NftSet> sets, List<Element> elements) {
    /** A group without content. */
    public static final TableGroup EMPTY = new TableGroup(List.of(), List.of(), List.of());

    public TableGroup {
        chains = List.copyOf(chains);
        sets = List.copyOf(sets);
        elements = List.copyOf(elements);
    }

    /**
     * An element of a set.
     *
     * @param set the name of the set
     */
    public record Element(String set, NftElement element) {}
}
