package dev.nodepath.linux.nftables;

import java.util.List;

/**
 * What one owner adds to the table, such as a service port.
 *
 * @param chains its chains with their rules. Two groups may have an equal chain; it stays while one of them has it
 * @param sets its sets, whose elements packets or other groups add. Two groups may have an equal set
 * @param elements what it adds to the sets of the frame and of other groups. A set that is not there gets none. Two
 *     groups may add elements with the same key: the group whose name comes first in order has its way
 */
public record TableGroup(List<NftTableState.Chain> chains, List<NftSet> sets, List<Element> elements) {
    /** Nothing. */
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
