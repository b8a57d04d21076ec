package dev.nodepath.proxy.userspace;

import dev.nodepath.proxy.userspace.balance.RelayEndpoint;
import dev.nodepath.proxy.userspace.balance.RelayService;
import dev.nodepath.proxy.userspace.relay.RelayServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Endpoints that no slice has any more. Connections to them end after a while. */
final class Departures {
    private final RelayServer server;
    private final Duration patience;
    /** An endpoint, with a mark that distinguishes one departure from the next. */
    private final Map<RelayEndpoint, Object> leaving = new HashMap<>();

    Departures(RelayServer server, Duration patience) {
        this.server = server;
        this.patience = patience;
    }

    /** Checks a service port whose endpoints may have changed. Called by the syncing thread. */
    synchronized void look(RelayService service, Set<InetSocketAddress> existing) {
        leaving.keySet().removeIf(endpoint -> existing.contains(endpoint.address()) && service.knows(endpoint));
        for (RelayEndpoint endpoint : service.departed(existing)) {
            if (!leaving.containsKey(endpoint)) {
                Object departure = new Object();
                leaving.put(endpoint, departure);
                server.schedule(() -> expire(endpoint, departure), patience);
            }
        }
    }

    private synchronized void expire(RelayEndpoint endpoint, Object departure) {
        if (leaving.remove(endpoint, departure)) {
            server.endAllTo(endpoint);
        }
    }
}
