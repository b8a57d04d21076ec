package dev.nodepath.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The present state of the page, and its history. Its feeder knows the cluster; its server knows HTTP. */
public final class LivePage {
    /** Enough for a reader that was away during a minute of heavy change. */
    private static final int EVENTS_MAX = 2048;
    /** The most past events for a new reader. */
    private static final int NEWS_MAX = 100;
    /** The most probes among them: each has a text for all its steps. */
    private static final int PROBES_MAX = 8;
    /** The kind of event with the result of a reader's packet. */
    public static final String PROBE = "probe";

    private static final ObjectMapper JSON = new ObjectMapper().registerModule(new Jdk8Module());

    private final InstantSource clock;
    private final PageEventLog log;
    private final FlightRecorder recorder;
    private final Deque<JsonNode> news = new ArrayDeque<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private Picture picture = Picture.EMPTY;

    /** An empty page. Its versions start at the present time, so they are above those of every earlier page. */
    public LivePage(InstantSource clock) {
        this.clock = clock;
        this.log = new PageEventLog(clock.millis(), EVENTS_MAX);
        this.recorder = new FlightRecorder(clock.millis(), text(content()));
    }

    /** Shows another picture. The readers get the differences; without any they get no event. */
    public void show(Picture next) {
        boolean changed;
        synchronized (this) {
            List<PartChange> changes = PartChange.between(picture, next);
            boolean frame =
                    !next.mode().equals(picture.mode()) || !next.client().equals(picture.client());
            picture = next;
            if (frame) {
                add("state", content());
            } else {
                changes.forEach(change -> add(change.kind(), change(change)));
            }
            changed = frame || !changes.isEmpty();
        }
        if (changed) {
            listeners.forEach(Runnable::run);
        }
    }

    /**
     * Tells the readers an event.
     *
     * @param kind of the event, such as {@code step}
     * @param what the event; it gets the present time as {@code at}, in milliseconds since 1970, if it has none
     */
    public void tell(String kind, ObjectNode what) {
        synchronized (this) {
            if (!what.has("at")) {
                what.put("at", clock.millis());
            }
            what.put("kind", kind);
            news.addLast(what);
            forget();
            add(kind, what);
        }
        listeners.forEach(Runnable::run);
    }

    /** The last minutes, as a recording. */
    public synchronized Recording recording() {
        return recorder.recording(clock.millis());
    }

    /** The present picture. */
    public synchronized Picture picture() {
        return picture;
    }

    /** The whole state as an event; all later events follow it. */
    public synchronized PageEvent snapshot() {
        return new PageEvent(log.version(), "state", text(content()));
    }

    /** See {@link PageEventLog#after}. */
    public Optional<List<PageEvent>> after(long version, int most) {
        return log.after(version, most);
    }

    /** Has a listener called after each change, on the thread that made it. */
    public void listen(Runnable listener) {
        listeners.add(listener);
    }

    private void add(String kind, ObjectNode json) {
        recorder.add(clock.millis(), log.add(kind, text(json)));
        if (recorder.isFull()) {
            recorder.begin(text(content()));
        }
    }

    private void forget() {
        if (news.size() > NEWS_MAX) {
            news.removeFirst();
        }
        List<JsonNode> probes = news.stream().filter(LivePage::isProbe).toList();
        if (probes.size() > PROBES_MAX) {
            news.removeFirstOccurrence(probes.get(0));
        }
    }

    private static boolean isProbe(JsonNode each) {
        return each.path("kind").asText().equals(PROBE);
    }

    private ObjectNode content() {
        ObjectNode state = JSON.valueToTree(picture);
        state.put("version", log.version()).put("at", clock.millis());
        news.forEach(state.putArray("news")::add);
        return state;
    }

    private static ObjectNode change(PartChange change) {
        ObjectNode json = JSON.createObjectNode().put("id", change.id());
        change.part().ifPresentOrElse(part -> json.set("part", JSON.valueToTree(part)), () -> json.put("gone", true));
        return json;
    }

    private static String text(ObjectNode json) {
        try {
            return JSON.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree that is no JSON", e);
        }
    }
}
