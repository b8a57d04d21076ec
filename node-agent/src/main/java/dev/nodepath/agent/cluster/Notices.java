package dev.nodepath.agent.cluster;

import dev.nodepath.endpoints.source.kubernetes.NodeEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices for people about this node: each is a log line and a Kubernetes Event. The same notice is repeated only after
 * {@link #REPEAT}. At most {@value #EVENTS_MAX} events are sent in {@link #WINDOW}; further ones are only counted.
 */
public final class Notices {
    /** An equal notice is not repeated for this long. */
    static final Duration REPEAT = Duration.ofHours(1);

    /** The window of the limit of events. */
    static final Duration WINDOW = Duration.ofMinutes(10);

    /** The limit of events in the window. */
    static final int EVENTS_MAX = 20;

    /** The limit of queued events; later ones are dropped. */
    static final int QUEUE_MAX = 32;

    /** The limit of remembered notices; the oldest is forgotten. */
    static final int REMEMBERED_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);

    private final String node;
    private final InstantSource clock;
    private final Map<String, Instant> said = new LinkedHashMap<>();
    private final Deque<Instant> recent = new ArrayDeque<>();
    private final Deque<NodeEvent> waiting = new ArrayDeque<>();
    private long sent;
    private long leftOut;

    /** Notices of a Node. */
    public Notices(String node, InstantSource clock) {
        this.node = node;
        this.clock = clock;
    }

    /**
     * Publishes a warning that needs action.
     *
     * @param reason a word in CamelCase
     * @param note the full text: subject, place, and the expected state
     */
    public synchronized void warn(String reason, String note) {
        Instant now = clock.instant();
        String key = reason + " " + note;
        Instant before = said.get(key);
        if (before != null && Duration.between(before, now).compareTo(REPEAT) < 0) {
            return;
        }
        said.remove(key);
        said.put(key, now);
        if (said.size() > REMEMBERED_MAX) {
            said.remove(said.keySet().iterator().next());
        }
        LOG.atWarn().addKeyValue("reason", reason).addKeyValue("note", note).log("agent.notice");
        while (!recent.isEmpty() && Duration.between(recent.peek(), now).compareTo(WINDOW) >= 0) {
            recent.remove();
        }
        if (recent.size() >= EVENTS_MAX || waiting.size() >= QUEUE_MAX) {
            leftOut++;
            return;
        }
        recent.add(now);
        waiting.add(new NodeEvent(node, reason, note, true, now));
    }

    /** Events that were sent. */
    public synchronized long sent() {
        return sent;
    }

    /** Events that were dropped by a limit or refused by the server. */
    public synchronized long leftOut() {
        return leftOut;
    }

    /** The next event to send. */
    synchronized Optional<NodeEvent> next() {
        return Optional.ofNullable(waiting.peek());
    }

    /** It was sent. */
    synchronized void sent(NodeEvent event) {
        if (waiting.remove(event)) {
            sent++;
        }
    }

    /** It will never be. */
    synchronized void refused(NodeEvent event) {
        if (waiting.remove(event)) {
            leftOut++;
        }
    }
}
