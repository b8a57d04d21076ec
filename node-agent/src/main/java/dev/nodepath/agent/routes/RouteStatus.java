package dev.nodepath.agent.routes;

import java.util.List;
import java.util.OptionalInt;

/**
 * The status of the routes.
 *
 * @param ready whether the node can run pods: its podCIDRs are known and overlap no other network, and if other nodes
 *     have pods, the pods of at least one can be reached. {@code NetworkUnavailable} is the opposite
 * @param message why the node is not ready, or how many routes are in force, in one line
 * @param wanted the number of podCIDRs of other nodes
 * @param standing the number of podCIDRs of other nodes that have a route
 * @param podMtu the MTU that fits through every route to another node, in bytes; empty until this node's Node is known
 * @param problems the problems that a person must solve, each in one line
 * @param syncs the number of syncs
 * @param failures the number of syncs with an error of the kernel
 * @param changes how many routes, neighbours and forwarding entries were added, changed or removed
 */
public record RouteStatus(
        boolean ready,
        String message,
        int wanted,
        int standing,
        OptionalInt podMtu,
        List<String> problems,
        long syncs,
        long failures,
        long changes) {

    public RouteStatus {
        problems = List.copyOf(problems);
    }

    /** Before the first sync. */
    static RouteStatus unknown() {
        return new RouteStatus(false, "routes: no sync yet", 0, 0, OptionalInt.empty(), List.of(), 0, 0, 0);
    }

    /**
     * After a sync that a problem has kept from the kernel.
     *
     * @param failed 1 if the kernel failed, else 0
     */
    RouteStatus unsynced(boolean nowReady, String problem, int failed) {
        return new RouteStatus(
                nowReady, problem, wanted, standing, podMtu, List.of(problem), syncs + 1, failures + failed, changes);
    }
}
