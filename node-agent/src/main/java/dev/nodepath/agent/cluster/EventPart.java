package dev.nodepath.agent.cluster;

import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.source.kubernetes.NodeEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Brings notices to the API server, one after the other; one that it did not take is tried again. */
public final class EventPart implements Part {
    private static final Duration LOOK = Duration.ofSeconds(2);

    private final Notices notices;
    private final Sink sink;

    /** Where events go. */
    @FunctionalInterface
    public interface Sink {
        /** Sends one. */
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
                sink.send(next.get());
                notices.sent(next.get());
            }
            running.up();
        } while (!running.awaitStop(LOOK));
    }
}
