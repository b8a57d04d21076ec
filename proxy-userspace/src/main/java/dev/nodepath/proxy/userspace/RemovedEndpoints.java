package dev.nodepath.proxy.userspace;

import dev.nodepath.proxy.userspace.relay.RelayEndpoint;
import dev.nodepath.proxy.userspace.relay.RelayServer;
import dev.nodepath.proxy.userspace.relay.RelayService;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Endpoints that no slice has any more. Connections to them end after a while. */
final class RemovedEndpoints {
    private final RelayServer server;
    private final Duration patience;
    /** An endpoint, with a mark that distinguishes one removal of it from the next. */
    private final Map<RelayEndpoint, Object> leaving = new HashMap<>();

    RemovedEndpoints(RelayServer server, Duration patience) {
        this.server = server;
        this.patience = patience;
    }

    /** Checks a service port whose endpoints may have changed. Called by the syncing thread. */
    synchronized void look(RelayService service, Set<InetSocketAddress> existing) {
        leaving.keySet().removeIf(endpoint -> existing.contains(endpoint.address()) && service.knows(endpoint));
        for (RelayEndpoint endpoint : service.departed(existing)) {
            if (!leaving.containsKey(endpoint)) {
                Object removal = new Object();
                leaving.put(endpoint, removal);
                server.schedule(() -> expire(endpoint, removal), patience);
            }
        }
    }

    private synchronized void expire(RelayEndpoint endpoint, Object removal) {
        if (leaving.remove(endpoint, removal)) {
            server.endAllTo(endpoint);
        }
    }
}
