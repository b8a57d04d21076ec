package dev.nodepath.linux.route;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The routes of an opened namespace of the kernel. */
public interface KernelRoutes extends RouteOperations {
    /** A socket that was opened in the namespace. */
    NetlinkSocket socket();

    @Override
    default List<ListedRoute> listedRoutes() throws LinuxNetException {
        List<ListedRoute> routes = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            for (NetlinkMessage message : socket().exchange("list routes", RouteMessages.list(family))) {
                routes.addAll(RouteMessages.readListed(message, family));
            }
        }
        return routes;
    }

    @Override
    default Optional<Route> routeTo(IpAddress destination) throws LinuxNetException {
        try {
            String operation = "look up route to " + destination;
            for (NetlinkMessage message : socket().exchange(operation, RouteMessages.lookUp(destination))) {
                List<Route> hops = RouteMessages.read(message, destination.family());
                if (!hops.isEmpty()) {
                    return Optional.of(hops.get(0));
                }
            }
            return Optional.empty();
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENETUNREACH || e.errno() == Errno.EHOSTUNREACH) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    default void addRoute(Route route, RouteOptions options) throws LinuxNetException {
        change(RouteMessages.describe("add route", route), RouteMessages.add(route, options));
    }

    @Override
    default void addRouteIfAbsent(Route route, RouteOptions options) throws LinuxNetException {
        change(RouteMessages.describe("add route", route), RouteMessages.addIfAbsent(route, options));
    }

    @Override
    default void replaceRoute(Route route, RouteOptions options) throws LinuxNetException {
        change(RouteMessages.describe("replace route", route), RouteMessages.replace(route, options));
    }

    @Override
    default void deleteRoute(Route route, RouteOptions options) throws LinuxNetException {
        change(RouteMessages.describe("delete route", route), RouteMessages.delete(route, options));
    }

    private void change(String operation, NetlinkRequest request) throws LinuxNetException {
        socket().exchange(operation, request);
    }
}
