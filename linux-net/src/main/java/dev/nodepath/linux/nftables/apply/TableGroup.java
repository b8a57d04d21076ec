package dev.nodepath.linux.nftables.apply;

import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftTableState;
import java.util.List;

/**
 * What one owner adds to the table, such as a service port.
 *
 * @param chains its chains with their rules. Two groups may have an equal chain; it stays while one of them has it
 * @param sets the sets of its own, whose elements packets add
 * @param elements what it adds to the sets of the frame. Two groups may add elements with the same key: the group whose
 *     name comes first in order has its way
 */
public record TableGroup(List<NftTableState.Chain> chains, List<NftSet> sets, List<Element> elements) {
    /** Nothing. */
    public static final TableGroup EMPTY = new TableGroup(List.of(), List.of(), List.of());

    /** Copies the lists. */
    public TableGroup {
        chains = List.copyOf(chains);
        sets = List.copyOf(sets);
        elements = List.copyOf(elements);
    }

    /**
     * An element of a set of the frame.
     *
     * @param set the name of the set
     */
    public record Element(String set, NftElement element) {}
}
