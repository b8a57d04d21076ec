package dev.nodepath.proxy.userspace;

import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What all connections of a relay share. */
final class RelayContext {
    private final RelayConfig config;
    private final OriginalDestination originalDestination;
    private final RelayMetrics metrics;
    private final RelayLog log;
    private final Set<EpollSocketChannel> clients = ConcurrentHashMap.newKeySet();
    private volatile PortalTable portals = PortalTable.EMPTY;

    RelayContext(RelayConfig config, OriginalDestination originalDestination, RelayMetrics metrics, RelayLog log) {
        this.config = config;
        this.originalDestination = originalDestination;
        this.metrics = metrics;
        this.log = log;
    }

    RelayConfig config() {
        return config;
    }

    OriginalDestination originalDestination() {
        return originalDestination;
    }

    RelayMetrics metrics() {
        return metrics;
    }

    RelayLog log() {
        return log;
    }

    /** The clients that are connected now. */
    Set<EpollSocketChannel> clients() {
        return clients;
    }

    PortalTable portals() {
        return portals;
    }

    void publish(PortalTable portals) {
        this.portals = portals;
    }
}
