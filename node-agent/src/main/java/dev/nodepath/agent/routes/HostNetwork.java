package dev.nodepath.agent.routes;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of a node that routes depend on.
 *
 * @param links by index
 * @param towards the kernel's route to each Node's address; Nodes without a route are left out
 */
record HostNetwork(
        Map<Integer, Link> links,
        List<InterfaceAddress> addresses,
        List<ListedRoute> routes,
        Map<IpAddress, Route> towards) {

    HostNetwork {
        links = Map.copyOf(links);
        addresses = List.copyOf(addresses);
        routes = List.copyOf(routes);
        towards = Map.copyOf(towards);
    }

    /**
     * Reads the links, addresses and routes from the kernel.
     *
     * @param ways finds the routes to the other nodes' addresses
     */
    static HostNetwork read(NetworkNamespace namespace, NodeRouteLookup ways, Collection<NodeInfo> others)
            throws LinuxNetException {
        Map<Integer, Link> links = new HashMap<>();
        for (Link link : namespace.links()) {
            links.put(link.index(), link);
        }
        Set<IpAddress> destinations = new HashSet<>();
        others.forEach(node -> destinations.addAll(node.addresses()));
        List<InterfaceAddress> addresses = namespace.addresses();
        List<ListedRoute> routes = namespace.listedRoutes();
        return new HostNetwork(links, addresses, routes, ways.towards(destinations, addresses, routes));
    }

    /** The name of a link, for people. */
    String linkName(int index) {
        Link link = links.get(index);
        return link == null ? "link " + index : link.name();
    }

    /** The link that has an address. */
    Optional<Link> linkOf(IpAddress address) {
        return addresses.stream()
                .filter(has -> has.address().address().equals(address))
                .findFirst()
                .flatMap(has -> Optional.ofNullable(links.get(has.linkIndex())));
    }
}
