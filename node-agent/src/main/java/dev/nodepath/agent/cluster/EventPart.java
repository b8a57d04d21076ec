package dev.nodepath.agent.cluster;

import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.source.kubernetes.NodeEvent;
import dev.nodepath.endpoints.source.kubernetes.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends notices to the API server one after the other. It retries a failed one, but drops a refused one, so that the
 * next ones can follow.
 */
public final class EventPart implements Part {
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(EventPart.class);

    private final Notices notices;
    private final Sink sink;

    /** The reason of the last refusal; the same reason is logged once. */
    private String refusal = "";

    /** The destination of events. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Sends an Event to the API server.
         *
         * @throws RefusedException if a retry cannot succeed
         */
        void send(NodeEvent event) throws IOException, InterruptedException;
    }

    /** Sends notices to a sink. */
    public EventPart(Notices notices, Sink sink) {
        this.notices = notices;
        this.sink = sink;
    }

    @Override
    public String name() {
        return "events";
    }

    @Override
    public void run(Running running) throws IOException, InterruptedException {
        do {
            for (Optional<NodeEvent> next = notices.next(); next.isPresent(); next = notices.next()) {
                send(next.get());
            }
            running.up();
        } while (!running.awaitStop(LOOK));
    }

    private void send(NodeEvent event) throws IOException, InterruptedException {
        try {
            sink.send(event);
            notices.sent(event);
        } catch (RefusedException e) {
            notices.refused(event);
            String now = String.valueOf(e.getMessage());
            if (!now.equals(refusal)) {
                refusal = now;
                LOG.atWarn()
                        .addKeyValue("reason", event.reason())
                        .addKeyValue("error", now)
                        .log("node.event_refused");
            }
        }
    }
}
