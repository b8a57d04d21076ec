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
 * Brings notices to the API server, one after the other. One that it did not take is tried again, unless it never will: those
 * behind it have to come through.
 */
public final class EventPart implements Part {
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(EventPart.class);

    private final Notices notices;
    private final Sink sink;

    /** Why the last one was refused; the same is not said again. */
    private String refusal = "";

    /** Where events go. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Sends one.
         *
         * @throws RefusedException if it will never be taken
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
