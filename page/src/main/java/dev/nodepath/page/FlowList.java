package dev.nodepath.page;

import java.util.List;

/**
 * All flows of a cluster at one moment.
 *
 * @param at in milliseconds since 1970
 * @param total the number of all flows
 * @param flows open ones before those that have ended
 */
public record FlowList(long at, int total, List<Flow> flows) {
    public FlowList {
        flows = List.copyOf(flows);
    }
}
