package dev.nodepath.page;

import java.util.List;

/**
 * All flows of a cluster at one moment.
 *
 * @param at in milliseconds since 1970
 * @param total how many there are
 * @param flows the first of them, in an order that stays
 */
public record FlowList(long at, int total, List<Flow> flows) {
    public FlowList {
        flows = List.copyOf(flows);
    }
}
