package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.portals.Destination;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of failed connections. Each event has a bounded rate; the counters give the numbers. */
public final class RelayLog {
    private static final Logger ACCESS = LoggerFactory.getLogger("dev.nodepath.proxy.userspace.access");
    private static final Logger LOG = LoggerFactory.getLogger(RelayLog.class);

    private final LogLimit accept;
    private final LogLimit limit;
    private final LogLimit destination;
    private final LogLimit portal;
    private final LogLimit endpoints;
    private final LogLimit ejection;
    private final LogLimit exclusion;
    private final LogLimit flow;
    private final LogLimit memory;
    private final LogLimit dial;
    private final LogLimit fault;

    RelayLog(LongSupplier nanoTime) {
        accept = new LogLimit(nanoTime);
        limit = new LogLimit(nanoTime);
        destination = new LogLimit(nanoTime);
        portal = new LogLimit(nanoTime);
        endpoints = new LogLimit(nanoTime);
        ejection = new LogLimit(nanoTime);
        exclusion = new LogLimit(nanoTime);
        flow = new LogLimit(nanoTime);
        memory = new LogLimit(nanoTime);
        dial = new LogLimit(nanoTime);
        fault = new LogLimit(nanoTime);
    }

    /**
     * Logs the start. The first log line of a process opens files (time zones, classes), which fails later if no
     * descriptor is left.
     */
    void listening(IpAddress address, int port) {
        LOG.atInfo().addKeyValue("address", address).addKeyValue("port", port).log("relay.listening");
    }

    void acceptPaused(Throwable cause) {
        try {
            if (accept.allows()) {
                LOG.atWarn().addKeyValue("cause", cause).log("relay.accept_paused");
            }
        } catch (LinkageError e) {
            // The logger could not load its classes for lack of descriptors. The event loop must go on.
        }
    }

    void limitReached(int connectionsMax) {
        if (limit.allows()) {
            LOG.atWarn().addKeyValue("connections_max", connectionsMax).log("relay.limit_reached");
        }
    }

    void memoryLimitReached(long waitingBytesMax) {
        if (memory.allows()) {
            LOG.atWarn().addKeyValue("waiting_bytes_max", waitingBytesMax).log("relay.memory_limit_reached");
        }
    }

    void brokenDown(Throwable cause) {
        try {
            if (fault.allows()) {
                LOG.atError().setCause(cause).log("relay.broken_down");
            }
        } catch (Throwable e) {
            // Logging needs memory, too. The event loop must go on.
        }
    }

    void loopEnded(@Nullable Throwable cause) {
        LOG.atError().setCause(cause).log("relay.loop_ended");
    }

    void noTranslation(Throwable cause) {
        if (destination.allows()) {
            LOG.atWarn().addKeyValue("cause", cause).log("relay.no_original_destination");
        }
    }

    void noPortal(Destination wanted) {
        if (portal.allows()) {
            LOG.atWarn().addKeyValue("destination", wanted).log("relay.no_portal");
        }
    }

    void ejected(RelayService service, RelayEndpoint endpoint) {
        if (ejection.allows()) {
            LOG.atWarn()
                    .addKeyValue("service_port", service.key().name())
                    .addKeyValue("endpoint", endpoint)
                    .log("relay.endpoint_ejected");
        }
    }

    void dialFailed(RelayService service, RelayEndpoint endpoint, Throwable cause) {
        if (dial.allows()) {
            LOG.atWarn()
                    .addKeyValue("service_port", service.key().name())
                    .addKeyValue("endpoint", endpoint)
                    .addKeyValue("cause", cause)
                    .log("relay.dial_failed");
        }
    }

    void noFlow(RelayService service, Throwable cause) {
        if (flow.allows()) {
            LOG.atWarn()
                    .addKeyValue("service_port", service.key().name())
                    .addKeyValue("cause", cause)
                    .log("relay.flow_failed");
        }
    }

    void receiveFailed(RelayService service, Throwable cause) {
        if (flow.allows()) {
            LOG.atWarn()
                    .addKeyValue("service_port", service.key().name())
                    .addKeyValue("cause", cause)
                    .log("relay.receive_failed");
        }
    }

    void excluded(RelayService service, IpAddress client) {
        if (exclusion.allows()) {
            LOG.atWarn()
                    .addKeyValue("service_port", service.key().name())
                    .addKeyValue("client", client)
                    .log("relay.outside_source_ranges");
        }
    }

    /** Logs the end of a connection. Called only if the access log is on. */
    void access(RelayService service, IpAddress client, @Nullable RelayEndpoint endpoint, Access access) {
        ACCESS.atInfo()
                .addKeyValue("service_port", service.key().name())
                .addKeyValue("client", client)
                .addKeyValue("endpoint", endpoint == null ? "none" : endpoint)
                .addKeyValue("bytes_in", access.bytesFromClient)
                .addKeyValue("bytes_out", access.bytesToClient)
                .addKeyValue("duration_ms", access.durationMillis)
                .log("relay.access");
    }

    /** The size and duration of a connection. */
    record Access(long bytesFromClient, long bytesToClient, long durationMillis) {}

    void unreachable(RelayService service, int tries) {
        if (endpoints.allows()) {
            LOG.atWarn()
                    .addKeyValue("service_port", service.key().name())
                    .addKeyValue("tries", tries)
                    .log("relay.no_endpoint_answers");
        }
    }
}
