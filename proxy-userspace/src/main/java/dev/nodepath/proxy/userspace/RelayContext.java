package dev.nodepath.proxy.userspace;

/** What all connections of a relay share. */
final class RelayContext {
    private final RelayConfig config;
    private final OriginalDestination originalDestination;
    private final RelayMetrics metrics;
    private final RelayLog log;
    private final PortalTable portals = new PortalTable();

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

    /** A fault that ends one connection or flow and nothing else. */
    void brokenDown(Throwable cause) {
        metrics.brokenDown.increment();
        log.brokenDown(cause);
    }

    PortalTable portals() {
        return portals;
    }
}
