package dev.nodepath.proxy.userspace;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Endpoints that are in no slice any more: after a while the connections to them are broken off. */
final class Departures {
    private final RelayServer server;
    private final Duration patience;
    private final Map<RelayEndpoint, Runnable> leaving = new HashMap<>();

    Departures(RelayServer server, Duration patience) {
        this.server = server;
        this.patience = patience;
    }

    /** Looks at a service port whose endpoints may have changed. For the syncing thread. */
    synchronized void look(RelayService service, Set<InetSocketAddress> existing) {
        leaving.keySet().removeIf(endpoint -> existing.contains(endpoint.address()) && service.knows(endpoint));
        for (RelayEndpoint endpoint : service.departed(existing)) {
            if (!leaving.containsKey(endpoint)) {
                Runnable expiry = () -> expire(endpoint);
                leaving.put(endpoint, expiry);
                server.schedule(expiry, patience);
            }
        }
    }

    private synchronized void expire(RelayEndpoint endpoint) {
        if (leaving.remove(endpoint) != null) {
            server.endAllTo(endpoint);
        }
    }
}
