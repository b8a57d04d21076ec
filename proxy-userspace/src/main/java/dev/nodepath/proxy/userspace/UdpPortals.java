package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.IpAddress;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * The sockets of all UDP service ports of one family, one for each way in, as a datagram does not say where it was meant
 * to go. For the syncing thread.
 */
final class UdpPortals {
    /** How long is waited for an event loop at most. */
    private static final Duration LOOP_LIMIT = Duration.ofSeconds(5);

    private final RelayServer server;
    private final IpAddress address;
    private final Ports ports;
    private final Map<Key, UdpPortal> open = new HashMap<>();

    private record Key(Portal.Key portal, Way way) {}

    UdpPortals(RelayServer server, IpAddress address, Ports ports) {
        this.server = server;
        this.address = address;
        this.ports = ports;
    }

    /** The port of a portal; 0 if it has none. */
    int port(Portal portal, Way way) {
        UdpPortal udp = open.get(new Key(portal.key(), way));
        return udp == null ? 0 : udp.port();
    }

    /** Where the rules of portals lead their cluster, external and load balancer IPs. */
    Map<Destination, Integer> led(List<Portal> portals) {
        Map<Destination, Integer> led = new HashMap<>();
        for (Portal portal : portals) {
            for (Way way : Way.values()) {
                int port = portal.serves(way) ? port(portal, way) : 0;
                if (port != 0) {
                    portal.addresses(way)
                            .forEach(ip ->
                                    led.put(new Destination(ip, portal.service().port()), port));
                }
            }
        }
        return led;
    }

    /** Whether this is the port of one of them. */
    boolean has(int port) {
        return open.values().stream().anyMatch(portal -> portal.port() == port);
    }

    /**
     * Opens what is missing, and ends the flows of endpoints that are gone.
     *
     * @return why a portal has no port, if so
     */
    Map<Portal, IOException> open(List<Portal> portals, Function<Portal, RelayService> services) {
        Map<Portal, IOException> failures = new HashMap<>();
        for (Portal portal : portals) {
            for (Way way : Way.values()) {
                if (portal.protocol() == Protocol.UDP && portal.has(way)) {
                    open(portal, way, services.apply(portal)).ifPresent(failure -> failures.put(portal, failure));
                }
            }
        }
        endFlowsOfGoneEndpoints();
        return failures;
    }

    /** Waits for it: when a sync has returned, no datagram goes to an endpoint that is gone. */
    private void endFlowsOfGoneEndpoints() {
        List<Future<?>> ends = new ArrayList<>();
        for (UdpPortal portal : open.values()) {
            ends.add(portal.loop().eventLoop().submit(portal::endpointsChanged));
        }
        ends.forEach(end -> end.awaitUninterruptibly(LOOP_LIMIT.toMillis()));
    }

    private Optional<IOException> open(Portal portal, Way way, RelayService service) {
        Key key = new Key(portal.key(), way);
        if (!open.containsKey(key)) {
            RelayLoop loop = server.loopOf(portal.key());
            try {
                open.put(key, ports.open(port -> onLoop(loop, service, way, port)));
            } catch (IOException e) {
                return Optional.of(e);
            }
        }
        return Optional.empty();
    }

    private UdpPortal onLoop(RelayLoop loop, RelayService service, Way way, int port) throws IOException {
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
    Set<Integer> retain(List<Portal> portals) {
        Set<Key> wanted = new HashSet<>();
        for (Portal portal : portals) {
            for (Way way : Way.values()) {
                if (portal.has(way)) {
                    wanted.add(new Key(portal.key(), way));
                }
            }
        }
        return closeUnless(wanted);
    }

    /**
     * Closes all of them.
     *
     * @return the ports
     */
    Set<Integer> close() {
        return closeUnless(Set.of());
    }

    private Set<Integer> closeUnless(Set<Key> wanted) {
        Set<Integer> closed = new HashSet<>();
        open.entrySet().removeIf(entry -> {
            UdpPortal portal = entry.getValue();
            if (wanted.contains(entry.getKey())) {
                return false;
            }
            closed.add(portal.port());
            portal.loop().eventLoop().submit(portal::close).awaitUninterruptibly(LOOP_LIMIT.toMillis());
            return true;
        });
        return closed;
    }
}
