package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.balance.RelayService;
import dev.nodepath.proxy.userspace.portals.Destination;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.PortalChange;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The sockets of all UDP service ports of one family, one for each way in, as a datagram does not say where it was meant
 * to go. For the syncing thread.
 */
public final class UdpPortals {
    /** How long is waited for an event loop at most. */
    private static final Duration LOOP_LIMIT = Duration.ofSeconds(5);

    private final RelayServer server;
    private final IpAddress address;
    private final Ports ports;
    private final Map<Key, UdpPortal> open = new HashMap<>();

    private record Key(Portal.Key portal, ServiceEntry way) {}

    public UdpPortals(RelayServer server, IpAddress address, Ports ports) {
        this.server = server;
        this.address = address;
        this.ports = ports;
    }

    /** The port of a portal; 0 if it has none. */
    public int port(Portal portal, ServiceEntry way) {
        UdpPortal udp = open.get(new Key(portal.key(), way));
        return udp == null ? 0 : udp.port();
    }

    /**
     * Where the rules of portals lead their clients.
     *
     * @param nodePortHosts the addresses that serve node ports
     */
    public Map<Destination, Integer> led(Collection<Portal> portals, Collection<IpAddress> nodePortHosts) {
        Map<Destination, Integer> led = new HashMap<>();
        for (Portal portal : portals) {
            for (ServiceEntry way : ServiceEntry.values()) {
                int port = portal.serves(way) ? port(portal, way) : 0;
                if (port != 0) {
                    destinations(portal, way, nodePortHosts).forEach(destination -> led.put(destination, port));
                }
            }
        }
        return led;
    }

    /** Where clients of a portal mean to go; none if it is not for UDP. */
    public static List<Destination> destinations(Portal portal, Collection<IpAddress> nodePortHosts) {
        if (portal.protocol() != Protocol.UDP) {
            return List.of();
        }
        return Stream.of(ServiceEntry.values())
                .flatMap(way -> destinations(portal, way, nodePortHosts))
                .toList();
    }

    private static Stream<Destination> destinations(
            Portal portal, ServiceEntry way, Collection<IpAddress> nodePortHosts) {
        Stream<Destination> own = portal.addresses(way).stream()
                .map(ip -> new Destination(ip, portal.service().port()));
        return way == ServiceEntry.EXTERNAL && portal.nodePort() != 0
                ? Stream.concat(own, nodePortHosts.stream().map(ip -> new Destination(ip, portal.nodePort())))
                : own;
    }

    /** Whether this is the port of one of them. */
    public boolean has(int port) {
        return open.values().stream().anyMatch(portal -> portal.port() == port);
    }

    /**
     * Opens what is missing for these portals, and ends their flows to endpoints that are gone.
     *
     * @return why a portal has no port, if so
     */
    public Map<Portal, IOException> open(Collection<Portal> portals, Function<Portal, RelayService> services) {
        Map<Portal, IOException> failures = new HashMap<>();
        List<UdpPortal> opened = new ArrayList<>();
        for (Portal portal : portals) {
            for (ServiceEntry way : ServiceEntry.values()) {
                if (portal.protocol() == Protocol.UDP && portal.has(way)) {
                    try {
                        opened.add(open(portal, way, services.apply(portal)));
                    } catch (IOException e) {
                        failures.put(portal, e);
                    }
                }
            }
        }
        endFlowsOfGoneEndpoints(opened);
        return failures;
    }

    /** Waits for it: when a sync has returned, no datagram goes to an endpoint that is gone. */
    private static void endFlowsOfGoneEndpoints(List<UdpPortal> portals) {
        List<Future<?>> ends = new ArrayList<>();
        for (UdpPortal portal : portals) {
            ends.add(portal.loop().eventLoop().submit(portal::endpointsChanged));
        }
        ends.forEach(end -> end.awaitUninterruptibly(LOOP_LIMIT.toMillis()));
    }

    private UdpPortal open(Portal portal, ServiceEntry way, RelayService service) throws IOException {
        Key key = new Key(portal.key(), way);
        UdpPortal udp = open.get(key);
        if (udp == null) {
            RelayLoop loop = server.loopOf(portal.key());
            udp = ports.open(port -> onLoop(loop, service, way, port));
            open.put(key, udp);
        }
        return udp;
    }

    private UdpPortal onLoop(RelayLoop loop, RelayService service, ServiceEntry way, int port) throws IOException {
        try {
            return loop.eventLoop()
                    .submit(() ->
                            UdpPortal.open(loop, service, way, new InetSocketAddress(address.toInetAddress(), port)))
                    .get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("udp: interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause() == null ? "udp" : e.getCause().getMessage(), e.getCause());
        }
    }

    /**
     * Closes what is not among these; rules must not lead there any more.
     *
     * @return the ports
     */
    public Set<Integer> retain(Collection<Portal> portals) {
        Set<Key> closing = new HashSet<>(open.keySet());
        portals.forEach(portal -> closing.removeAll(keys(portal)));
        return close(closing);
    }

    /** Closes what a portal does not have any more. The rest is as in {@link #retain}. */
    public Set<Integer> close(PortalChange change) {
        Set<Key> closing = change.before() == null ? new HashSet<>() : keys(change.before());
        if (change.after() != null) {
            closing.removeAll(keys(change.after()));
        }
        return close(closing);
    }

    /**
     * Closes all of them.
     *
     * @return the ports
     */
    public Set<Integer> close() {
        return close(Set.copyOf(open.keySet()));
    }

    private static Set<Key> keys(Portal portal) {
        Set<Key> keys = new HashSet<>();
        for (ServiceEntry way : ServiceEntry.values()) {
            if (portal.has(way)) {
                keys.add(new Key(portal.key(), way));
            }
        }
        return keys;
    }

    private Set<Integer> close(Set<Key> closing) {
        Set<Integer> closed = new HashSet<>();
        for (Key key : closing) {
            UdpPortal portal = open.remove(key);
            if (portal != null) {
                closed.add(portal.port());
                portal.loop().await(portal::close, LOOP_LIMIT);
            }
        }
        return closed;
    }
}
