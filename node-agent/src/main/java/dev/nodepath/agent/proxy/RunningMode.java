package dev.nodepath.agent.proxy;

import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.SyncDurations;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** A proxy mode at work: its proxy, and the other parts of the process that depend on the mode. */
interface RunningMode extends AutoCloseable {
    /** Syncs the snapshots. It is closed with this. */
    ServiceProxy proxy();

    /**
     * Registers the metrics of the mode.
     *
     * @return the durations of its full and partial syncs; empty if it does not distinguish them
     */
    Optional<SyncDurations> register(PrometheusRegistry registry);

    /** When the rules of a family were last brought into force or checked; empty before. */
    Optional<Instant> lastSync(IpFamily family);

    /** The kernel's counts of connections to each endpoint; empty if it has none. */
    default Optional<ConnectionMetrics.Counters> connections() {
        return Optional.empty();
    }

    /** Whether this mode has seen rules of another mode, without a new look. */
    default boolean maySee(ProxyMode other) {
        return true;
    }

    /**
     * Whether this process carries the connections itself. Then it corrects conntrack itself, and hands over to the
     * kernel when it ends.
     */
    default boolean isRelay() {
        return false;
    }

    /** Whether another live process carries this mode's connections now. */
    default boolean isTakenOver() throws IOException {
        return false;
    }

    /** Closes the proxy. Rules that work without this process stay. */
    @Override
    void close();
}
