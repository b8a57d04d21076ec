package dev.nodepath.proxy.userspace;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the relay tells about connections that came to nothing: each event at a bounded rate, the counters tell how
 * often.
 */
final class RelayLog {
    private static final Logger LOG = LoggerFactory.getLogger(RelayLog.class);

    private final LogLimit accept;
    private final LogLimit limit;
    private final LogLimit destination;
    private final LogLimit portal;
    private final LogLimit endpoints;

    RelayLog(LongSupplier nanoTime) {
        accept = new LogLimit(nanoTime);
        limit = new LogLimit(nanoTime);
        destination = new LogLimit(nanoTime);
        portal = new LogLimit(nanoTime);
        endpoints = new LogLimit(nanoTime);
    }

    /** The first line of a process opens files (time zones, classes): better now than with no descriptor left. */
    void listening(int port) {
        LOG.atInfo().addKeyValue("port", port).log("relay.listening");
    }

    void acceptPaused(Throwable cause) {
        try {
            if (accept.allows()) {
                LOG.atWarn().addKeyValue("cause", cause).log("relay.accept_paused");
            }
        } catch (LinkageError e) {
            // The logger could not load what it needs, for want of descriptors: no reason for the event loop to die.
        }
    }

    void limitReached(int connectionsMax) {
        if (limit.allows()) {
            LOG.atWarn().addKeyValue("connections_max", connectionsMax).log("relay.limit_reached");
        }
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

    void unreachable(PortalTable.Entry service, int tries) {
        if (endpoints.allows()) {
            LOG.atWarn()
                    .addKeyValue("service_port", service.name())
                    .addKeyValue("tries", tries)
                    .log("relay.no_endpoint_answers");
        }
    }
}
