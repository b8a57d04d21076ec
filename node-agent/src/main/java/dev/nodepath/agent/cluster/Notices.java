package dev.nodepath.agent.cluster;

import dev.nodepath.endpoints.source.kubernetes.NodeEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a person has to know of this node: a line of the log and a Kubernetes Event each. What was said already is said again only
 * after {@link #REPEAT}, and there are at most {@value #EVENTS_MAX} events in {@link #WINDOW}; the rest is counted.
 */
public final class Notices {
    /** How long the same notice is not repeated. */
    static final Duration REPEAT = Duration.ofHours(1);

    /** The time in which events are counted. */
    static final Duration WINDOW = Duration.ofMinutes(10);

    /** Events in that time. */
    static final int EVENTS_MAX = 20;

    /** Events that wait for the API server; later ones are left out. */
    static final int QUEUE_MAX = 32;

    /** Notices that are remembered; the oldest is forgotten. */
    static final int REMEMBERED_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(Notices.class);

    private final String node;
    private final Clock clock;
    private final Map<String, Instant> said = new LinkedHashMap<>();
    private final Deque<Instant> recent = new ArrayDeque<>();
    private final Deque<NodeEvent> waiting = new ArrayDeque<>();
    private long sent;
    private long leftOut;

    /** Notices of a Node. */
    public Notices(String node, Clock clock) {
        this.node = node;
        this.clock = clock;
    }

    /**
     * Somebody should act.
     *
     * @param reason a word in CamelCase
     * @param note the whole of it: what, where, what was expected
     */
    public void warn(String reason, String note) {
        say(reason, note, true);
    }

    /** Something changed that is worth knowing. */
    public void tell(String reason, String note) {
        say(reason, note, false);
    }

    /** Events that were sent. */
    public synchronized long sent() {
        return sent;
    }

    /** Events that were not, as there were too many or the server refused them. */
    public synchronized long leftOut() {
        return leftOut;
    }

    /** The event that is to be sent next. */
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

    private synchronized void say(String reason, String note, boolean warning) {
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
        (warning ? LOG.atWarn() : LOG.atInfo())
                .addKeyValue("reason", reason)
                .addKeyValue("note", note)
                .log("agent.notice");
        while (!recent.isEmpty() && Duration.between(recent.peek(), now).compareTo(WINDOW) >= 0) {
            recent.remove();
        }
        if (recent.size() >= EVENTS_MAX || waiting.size() >= QUEUE_MAX) {
            leftOut++;
            return;
        }
        recent.add(now);
        waiting.add(new NodeEvent(node, reason, note, warning, now));
    }
}
