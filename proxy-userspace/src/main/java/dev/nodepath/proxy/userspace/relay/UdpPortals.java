package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
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
 * The sockets of all UDP service ports of one family, one for each kind of entry: a datagram does not carry its
 * original destination. Called by the syncing thread.
 */
public final class UdpPortals {
    /** The longest wait for an event loop. */
    private static final Duration LOOP_LIMIT = Duration.ofSeconds(5);

    private final RelayServer server;
    private final IpAddress address;
    private final Ports ports;
    private final Map<Key, UdpPortal> open = new HashMap<>();

    private record Key(Portal.Key portal, ServiceEntry entry) {}

    /** No sockets yet. They will be bound to this address. */
    public UdpPortals(RelayServer server, IpAddress address, Ports ports) {
        this.server = server;
        this.address = address;
        this.ports = ports;
    }

    /** The relay's port of a portal; 0 if it has none. */
    public int port(Portal portal, ServiceEntry entry) {
        UdpPortal udp = open.get(new Key(portal.key(), entry));
        return udp == null ? 0 : udp.port();
    }

    /**
     * The port that rules redirect to, for each destination of these portals.
     *
     * @param nodePortHosts the addresses that serve node ports
     */
    public Map<Destination, Integer> redirected(Collection<Portal> portals, Collection<IpAddress> nodePortHosts) {
        Map<Destination, Integer> redirected = new HashMap<>();
        for (Portal portal : portals) {
            for (ServiceEntry entry : ServiceEntry.values()) {
                int port = portal.serves(entry) ? port(portal, entry) : 0;
                if (port != 0) {
                    destinations(portal, entry, nodePortHosts)
                            .forEach(destination -> redirected.put(destination, port));
                }
            }
        }
        return redirected;
    }

    /** The destinations of a UDP portal; none for another protocol. */
    public static List<Destination> destinations(Portal portal, Collection<IpAddress> nodePortHosts) {
        if (portal.protocol() != Protocol.UDP) {
            return List.of();
        }
        return Stream.of(ServiceEntry.values())
                .flatMap(entry -> destinations(portal, entry, nodePortHosts))
                .toList();
    }

    private static Stream<Destination> destinations(
            Portal portal, ServiceEntry entry, Collection<IpAddress> nodePortHosts) {
        Stream<Destination> own = portal.addresses(entry).stream()
                .map(ip -> new Destination(ip, portal.service().port()));
        return entry == ServiceEntry.EXTERNAL && portal.nodePort() != 0
                ? Stream.concat(own, nodePortHosts.stream().map(ip -> new Destination(ip, portal.nodePort())))
                : own;
    }

    /** Whether one of the sockets has this port. */
    public boolean has(int port) {
        return open.values().stream().anyMatch(portal -> portal.port() == port);
    }

    /**
     * Opens the missing sockets of these portals, and ends their flows to removed endpoints.
     *
     * @return the portals that have no socket, with the error
     */
    public Map<Portal, IOException> open(Collection<Portal> portals, Function<Portal, RelayService> services) {
        Map<Portal, IOException> failures = new HashMap<>();
        List<UdpPortal> opened = new ArrayList<>();
        for (Portal portal : portals) {
            for (ServiceEntry entry : ServiceEntry.values()) {
                if (portal.protocol() == Protocol.UDP && portal.has(entry)) {
                    try {
                        opened.add(open(portal, entry, services.apply(portal)));
                    } catch (IOException e) {
                        failures.put(portal, e);
                    }
                }
            }
        }
        endFlowsOfGoneEndpoints(opened);
        return failures;
    }

    /** Ends the flows and waits for it. After a sync, no datagram goes to a removed endpoint. */
    private static void endFlowsOfGoneEndpoints(List<UdpPortal> portals) {
        List<Future<?>> ends = new ArrayList<>();
        for (UdpPortal portal : portals) {
            ends.add(portal.loop().eventLoop().submit(portal::endpointsChanged));
        }
        ends.forEach(end -> end.awaitUninterruptibly(LOOP_LIMIT.toMillis()));
    }

    private UdpPortal open(Portal portal, ServiceEntry entry, RelayService service) throws IOException {
        Key key = new Key(portal.key(), entry);
        UdpPortal udp = open.get(key);
        if (udp == null) {
            RelayLoop loop = server.loopOf(portal.key());
            udp = ports.open(port -> onLoop(loop, service, entry, port));
            open.put(key, udp);
        }
        return udp;
    }

    private UdpPortal onLoop(RelayLoop loop, RelayService service, ServiceEntry entry, int port) throws IOException {
        try {
            return loop.eventLoop()
                    .submit(() ->
                            UdpPortal.open(loop, service, entry, new InetSocketAddress(address.toInetAddress(), port)))
                    .get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("udp: interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause() == null ? "udp" : e.getCause().getMessage(), e.getCause());
        }
    }

    /**
     * Closes the sockets of other portals. No rule may redirect to them any more.
     *
     * @return the ports of the closed sockets
     */
    public Set<Integer> retain(Collection<Portal> portals) {
        Set<Key> closing = new HashSet<>(open.keySet());
        portals.forEach(portal -> closing.removeAll(keys(portal)));
        return close(closing);
    }

    /** Closes the sockets that a portal no longer has, as {@link #retain} does. */
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
     * @return the ports of the closed sockets
     */
    public Set<Integer> close() {
        return close(Set.copyOf(open.keySet()));
    }

    private static Set<Key> keys(Portal portal) {
        Set<Key> keys = new HashSet<>();
        for (ServiceEntry entry : ServiceEntry.values()) {
            if (portal.has(entry)) {
                keys.add(new Key(portal.key(), entry));
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
