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

/** The routes of an opened namespace, over its socket. {@code NetworkNamespace} documents the methods. */
public final class KernelRoutes {
    private final NetlinkSocket socket;

    /** Uses a socket that the caller closes. */
    public KernelRoutes(NetlinkSocket socket) {
        this.socket = socket;
    }

    public List<ListedRoute> list() throws LinuxNetException {
        List<ListedRoute> routes = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            for (NetlinkMessage message : socket.exchange("list routes", RouteMessages.list(family))) {
                routes.addAll(RouteMessages.readListed(message, family));
            }
        }
        return routes;
    }

    public Optional<Route> lookUp(IpAddress destination) throws LinuxNetException {
        try {
            String operation = "look up route to " + destination;
            for (NetlinkMessage message : socket.exchange(operation, RouteMessages.lookUp(destination))) {
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

    public void add(Route route, RouteOptions options) throws LinuxNetException {
        change(RouteMessages.describe("add route", route), RouteMessages.add(route, options));
    }

    public void addIfAbsent(Route route, RouteOptions options) throws LinuxNetException {
        change(RouteMessages.describe("add route", route), RouteMessages.addIfAbsent(route, options));
    }

    public void replace(Route route, RouteOptions options) throws LinuxNetException {
        change(RouteMessages.describe("replace route", route), RouteMessages.replace(route, options));
    }

    public void delete(Route route, RouteOptions options) throws LinuxNetException {
        change(RouteMessages.describe("delete route", route), RouteMessages.delete(route, options));
    }

    private void change(String operation, NetlinkRequest request) throws LinuxNetException {
        socket.exchange(operation, request);
    }
}
