package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;

/** The objects and limits that all connections of a relay share. */
final class RelayContext {
    /** Of this many descriptors one is for flows, the others are for connections. Of 20,000 some 300 are for flows. */
    private static final int FLOW_SHARE = 64;

    private final RelayConfig config;
    private final OriginalDestination originalDestination;
    private final RelayMetrics metrics;
    private final RelayLog log;
    private final PortalTable portals = new PortalTable();
    private final int descriptorsMax;
    private final int flowShare;

    RelayContext(
            RelayConfig config,
            OriginalDestination originalDestination,
            RelayMetrics metrics,
            RelayLog log,
            int descriptorsMax) {
        this.config = config;
        this.originalDestination = originalDestination;
        this.metrics = metrics;
        this.log = log;
        this.descriptorsMax = descriptorsMax;
        this.flowShare = Math.min(config.flowsMax(), descriptorsMax / FLOW_SHARE);
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

    /** Logs and counts a fault that ends only one connection or flow. */
    void brokenDown(Throwable cause) {
        metrics.increment(RelayCount.BROKEN_DOWN);
        log.brokenDown(cause);
    }

    /** Whether there are descriptors for one more connection. The reserve is not counted. */
    boolean hasDescriptors() {
        return 2L * (metrics.active.get() + 1) + Math.max(metrics.flowsActive.get(), flowShare) <= descriptorsMax;
    }

    /** Whether there is room for one more flow. */
    boolean hasRoomForFlow() {
        int flows = metrics.flowsActive.get();
        return flows < config.flowsMax()
                && (flows < flowShare || 2L * metrics.active.get() + flows + 1 <= descriptorsMax);
    }

    PortalTable portals() {
        return portals;
    }
}
