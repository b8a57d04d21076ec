package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.VxlanSpec;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The wanted routes to other nodes' pods, and the overlay link that they need.
 *
 * @param routes the routes that this agent keeps
 * @param given podCIDRs to which another program keeps an equal route
 * @param unroutable podCIDRs that cannot have a route
 * @param overlay the overlay link; empty if no route needs it
 * @param overlayAddresses the wanted addresses of the overlay link
 * @param podMtu the MTU that fits through every route, in bytes
 * @param links the links that routes and overlay go through
 * @param problems the problems that a person must solve, each in one line
 * @param ownProblem the fault of this node's Node; empty if there is none
 */
record RoutePlan(
        List<NodeRoute> routes,
        List<Cidr> given,
        List<Cidr> unroutable,
        Optional<VxlanSpec> overlay,
        List<Cidr> overlayAddresses,
        OptionalInt podMtu,
        Set<Integer> links,
        List<String> problems,
        Optional<String> ownProblem) {

    RoutePlan {
        routes = List.copyOf(routes);
        given = List.copyOf(given);
        unroutable = List.copyOf(unroutable);
        overlayAddresses = List.copyOf(overlayAddresses);
        links = Set.copyOf(links);
        problems = List.copyOf(problems);
    }

    /** How many podCIDRs other nodes have. */
    int wanted() {
        return routes.size() + given.size() + unroutable.size();
    }
}
