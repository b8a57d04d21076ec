package dev.nodepath.linux.route;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;

/** Reads and changes the routes of a network namespace. */
public interface RouteOperations {
    /** The unicast routes of the main table. A route with several next hops is listed once per hop. */
    default List<Route> routes() throws LinuxNetException {
        return listedRoutes().stream().map(ListedRoute::route).toList();
    }

    /**
     * The unicast routes of the main table with their options. A route with several next hops is listed once per hop.
     */
    List<ListedRoute> listedRoutes() throws LinuxNetException;

    /**
     * Adds a route to the main table.
     *
     * @throws LinuxNetException EEXIST if there is one to the same destination; ENETUNREACH (IPv4) or EHOSTUNREACH
     *     (IPv6) if no link that is up leads to the gateway; ENODEV without gateway and link; ENETDOWN if the link is
     *     down; EINVAL if an IPv4 destination has host bits or the gateway is of the other family
     */
    default void addRoute(Route route) throws LinuxNetException {
        addRouteIfAbsent(route, RouteOptions.DEFAULT);
    }

    /**
     * Adds a route that may coexist with others to the same destination. EEXIST if there is an equal one; the rest as
     * {@link #addRoute(Route)}.
     */
    void addRoute(Route route, RouteOptions options) throws LinuxNetException;

    /**
     * Adds a route. EEXIST if there is one to the same destination with the same priority; the rest as
     * {@link #addRoute(Route)}.
     */
    void addRouteIfAbsent(Route route, RouteOptions options) throws LinuxNetException;

    /** The route of the main table that a packet from here to this address takes; empty if there is none. */
    Optional<Route> routeTo(IpAddress destination) throws LinuxNetException;

    /** Adds a route to the main table or replaces the one to the same destination. */
    default void replaceRoute(Route route) throws LinuxNetException {
        replaceRoute(route, RouteOptions.DEFAULT);
    }

    /** Adds a route or replaces another program's route to the same destination with the same priority. */
    void replaceRoute(Route route, RouteOptions options) throws LinuxNetException;

    /** Removes a route. An absent gateway and a link index of 0 match any. ESRCH if there is none. */
    default void deleteRoute(Route route) throws LinuxNetException {
        deleteRoute(route, RouteOptions.DEFAULT);
    }

    /** Removes a route of this protocol and priority. An absent one matches any. Other options are ignored. */
    void deleteRoute(Route route, RouteOptions options) throws LinuxNetException;
}
