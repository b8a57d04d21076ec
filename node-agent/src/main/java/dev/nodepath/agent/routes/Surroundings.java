package dev.nodepath.agent.routes;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.InterfaceAddress;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.ListedRoute;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.Route;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node has, as far as routes depend on it.
 *
 * @param links by index
 * @param towards the route that the kernel would take to each Node's address; those that have one
 */
record Surroundings(
        Map<Integer, Link> links,
        List<InterfaceAddress> addresses,
        List<ListedRoute> routes,
        Map<IpAddress, Route> towards) {

    /** Copies the collections. */
    Surroundings {
        links = Map.copyOf(links);
        addresses = List.copyOf(addresses);
        routes = List.copyOf(routes);
        towards = Map.copyOf(towards);
    }

    /** Asks the kernel; a question for each address of each of these nodes among them. */
    static Surroundings read(NetworkNamespace namespace, Collection<NodeInfo> others) throws LinuxNetException {
        Map<Integer, Link> links = new HashMap<>();
        for (Link link : namespace.links()) {
            links.put(link.index(), link);
        }
        Map<IpAddress, Route> towards = new HashMap<>();
        for (NodeInfo node : others) {
            for (IpAddress address : node.addresses()) {
                Optional<Route> route = namespace.routeTo(address);
                if (route.isPresent()) {
                    towards.put(address, route.get());
                }
            }
        }
        return new Surroundings(links, namespace.addresses(), namespace.listedRoutes(), towards);
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
