package dev.nodepath.agent.routes;

import java.util.List;
import java.util.OptionalInt;

/**
 * The status of the routes.
 *
 * @param ready whether the node's pods can be on the network: this node's Node and its podCIDRs are known and in
 *     nobody's way, and if other nodes have pods, those of at least one can be reached. {@code NetworkUnavailable} is
 *     its opposite
 * @param message why it is not, or what is in force, in one line
 * @param wanted podCIDRs of other nodes
 * @param standing how many of them have their route
 * @param podMtu the MTU that fits through every route to another node, in bytes; empty until this node's Node is known
 * @param problems what a person has to mend, each in one line
 * @param syncs how often the node's state was compared with what it should be, and made so
 * @param failures how many of them met an error of the kernel
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

    /** Copies the list. */
    public RouteStatus {
        problems = List.copyOf(problems);
    }

    /** Before the first sync. */
    static RouteStatus unknown() {
        return new RouteStatus(false, "routes: no sync yet", 0, 0, OptionalInt.empty(), List.of(), 0, 0, 0);
    }
}
