package dev.nodepath.page;

import java.util.List;

/**
 * All flows of a cluster at one moment.
 *
 * @param at in milliseconds since 1970
 * @param total the number of all flows
 * @param flows the first of them, in a stable order
 */
public record FlowList(long at, int total, List<Flow> flows) {
    public FlowList {
        flows = List.copyOf(flows);
    }
}
