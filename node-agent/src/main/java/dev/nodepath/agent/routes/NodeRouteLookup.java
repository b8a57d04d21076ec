package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The route that the kernel takes to each Node's address. An answer is kept as long as the host's addresses and routes
 * are the same: else each sync would ask once for each Node. Routing rules decide too, and are in no list of ours. A
 * change of them is noticed after {@link #AGE_MAX}. For one thread.
 */
final class NodeRouteLookup {
    /** The maximum age of an answer. */
    static final Duration AGE_MAX = Duration.ofMinutes(5);

    private static final Cidr LINK_LOCAL = Cidr.parse("fe80::/10");

    private final NetworkNamespace namespace;
    private final LongSupplier nanoTime;
    private final Map<IpAddress, Optional<Route>> answers = new HashMap<>();
    private Set<Object> askedWith = Set.of();
    private long askedAt;

    /**
     * Knows no answer yet.
     *
     * @param nanoTime as {@link System#nanoTime}
     */
    NodeRouteLookup(NetworkNamespace namespace, LongSupplier nanoTime) {
        this.namespace = namespace;
        this.nanoTime = nanoTime;
    }

    /**
     * The routes to these addresses; addresses without a route are left out.
     *
     * @param addresses of this host, now
     * @param routes of this host, now
     */
    Map<IpAddress, Route> towards(
            Set<IpAddress> destinations, Collection<InterfaceAddress> addresses, Collection<ListedRoute> routes)
            throws LinuxNetException {
        forgetOutdated(addresses, routes);
        answers.keySet().retainAll(destinations);
        for (IpAddress destination : destinations) {
            if (!answers.containsKey(destination)) {
                answers.put(destination, namespace.routeTo(destination));
            }
        }
        return answers.entrySet().stream()
                .filter(answer -> answer.getValue().isPresent())
                .collect(Collectors.toMap(
                        Map.Entry::getKey, answer -> answer.getValue().get()));
    }

    private void forgetOutdated(Collection<InterfaceAddress> addresses, Collection<ListedRoute> routes) {
        Set<Object> now = new HashSet<>();
        addresses.stream()
                .filter(address -> !LINK_LOCAL.contains(address.address().address()))
                .forEach(now::add);
        routes.stream().filter(NodeRouteLookup::matters).forEach(now::add);
        boolean old = nanoTime.getAsLong() - askedAt >= AGE_MAX.toNanos();
        if (answers.isEmpty() || old || !now.equals(askedWith)) {
            answers.clear();
            askedWith = now;
            askedAt = nanoTime.getAsLong();
        }
    }

    /**
     * Whether a route can lead to a node. The agent's own routes lead to pods, not to nodes. Link-local routes come
     * and go with each pod's link.
     */
    private static boolean matters(ListedRoute each) {
        return each.options().protocol().orElse(0) != PodRoutes.PROTOCOL
                && !LINK_LOCAL.contains(each.route().destination().address());
    }
}
