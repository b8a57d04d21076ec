package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.apiserver.store.TooOldException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch. The store adds changes to its queue, and the connection takes lines from it. A client that is {@value
 * #QUEUE_MAX} changes behind is disconnected, and so is the slowest one when too many data wait ({@link
 * WatchBacklog}); it continues from its last version, or lists again. The present objects at the begin are in no
 * queue.
 */
final class WatchSource implements PieceSource {
    /** The most changes that wait for a slow client. */
    static final int QUEUE_MAX = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(WatchSource.class);
    private static final Duration BOOKMARK_PERIOD = Duration.ofMinutes(1);

    private final ClusterApi api;
    private final WatchOptions options;
    private final EventEncoder encoder;
    private final ScheduledExecutorService timer;
    private final Queue<Line> queue = new ArrayDeque<>();
    private Iterator<ObjectNode> present = Collections.emptyIterator();
    private boolean ended;
    private boolean closed;
    private Runnable ready = () -> {};
    private @Nullable Subscription subscription;
    private @Nullable ScheduledFuture<?> end;
    private @Nullable ScheduledFuture<?> bookmarks;

    private record Line(@Nullable ChangeEvent change, Supplier<byte[]> text) {}

    /**
     * A watch that has not begun.
     *
     * @param encoder of all watches
     * @param timer for bookmarks and the end
     */
    WatchSource(ClusterApi api, WatchOptions options, EventEncoder encoder, ScheduledExecutorService timer) {
        this.api = api;
        this.options = options;
        this.encoder = encoder;
        this.timer = timer;
    }

    @Override
    public void start(Runnable whenReady) {
        synchronized (this) {
            ready = whenReady;
        }
        api.store().atomically(() -> {
            begin();
            return true;
        });
        schedule();
        whenReady.run();
    }

    @Override
    public byte @Nullable [] poll() {
        @Nullable Line next;
        Iterator<ObjectNode> first;
        synchronized (this) {
            first = present;
        }
        while (first.hasNext()) {
            ObjectNode object = first.next();
            if (chosen(object)) {
                return WatchLines.line(
                        EncodedEvent.Meaning.ADDED.name(), options.form().one(object));
            }
        }
        synchronized (this) {
            next = queue.poll();
            if (next != null) {
                encoder.backlog().remove(this, next.change());
            }
        }
        return next == null ? null : next.text().get();
    }

    @Override
    public synchronized boolean ended() {
        return ended && queue.isEmpty() && !present.hasNext();
    }

    @Override
    public void close() {
        @Nullable Subscription old;
        synchronized (this) {
            closed = true;
            drop();
            old = subscription;
            cancel(end);
            cancel(bookmarks);
        }
        if (old != null) {
            old.close();
        }
    }

    /** The store is locked, so no change is lost between the present objects and the first change. */
    private void begin() {
        long version = api.store().version();
        Subscription added;
        try {
            if (options.since().isPresent() && options.since().getAsLong() > version) {
                // A server that has lost its objects counts versions anew, so the client's version is unknown.
                end(WatchLines.expired(
                        "too large resource version: " + options.since().getAsLong() + ", current: " + version));
                return;
            }
            if (options.since().isEmpty()) {
                List<ObjectNode> objects =
                        api.list(options.stored(), options.namespace()).objects();
                synchronized (this) {
                    present = objects.iterator();
                }
            }
            added = api.subscribe(options.stored(), options.since().orElse(version), this::changed);
        } catch (TooOldException e) {
            end(WatchLines.expired(String.valueOf(e.getMessage())));
            return;
        }
        synchronized (this) {
            subscription = added;
            if (options.initialEnd()) {
                put(null, () -> bookmark(version, true));
            }
            if (!closed) {
                return;
            }
        }
        added.close();
    }

    private synchronized void schedule() {
        if (ended) {
            return;
        }
        end = timer.schedule(this::timedOut, options.timeout().toMillis(), TimeUnit.MILLISECONDS);
        if (options.bookmarks()) {
            long period = BOOKMARK_PERIOD.toMillis();
            bookmarks = timer.scheduleWithFixedDelay(this::addBookmark, period, period, TimeUnit.MILLISECONDS);
        }
    }

    private void changed(ChangeEvent change) {
        meaning(change).ifPresent(meaning -> {
            EncodedEvent event = encoder.of(change);
            add(change, () -> event.line(meaning, options.form()));
        });
    }

    private Optional<EncodedEvent.Meaning> meaning(ChangeEvent change) {
        boolean is = change.type() != ChangeEvent.Type.DELETED && chosen(change.object());
        boolean was = change.before().isPresent() && chosen(change.before().get());
        if (is) {
            return Optional.of(was ? EncodedEvent.Meaning.MODIFIED : EncodedEvent.Meaning.ADDED);
        }
        return was
                ? Optional.of(
                        change.type() == ChangeEvent.Type.DELETED
                                ? EncodedEvent.Meaning.DELETED
                                : EncodedEvent.Meaning.LEFT)
                : Optional.empty();
    }

    private boolean chosen(JsonNode object) {
        return (options.namespace().isEmpty()
                        || object.path("metadata").path("namespace").asText().equals(options.namespace()))
                && options.selector().test(object);
    }

    private void add(@Nullable ChangeEvent change, Supplier<byte[]> line) {
        Runnable toCall;
        synchronized (this) {
            if (ended) {
                return;
            }
            put(change, line);
            toCall = ready;
        }
        if (queued() > QUEUE_MAX) {
            cut();
        }
        Optional<WatchSource> slowest = encoder.backlog().excess();
        while (slowest.isPresent()) {
            slowest.get().cut();
            slowest = encoder.backlog().excess();
        }
        toCall.run();
    }

    private synchronized int queued() {
        return queue.size();
    }

    private void put(@Nullable ChangeEvent change, Supplier<byte[]> line) {
        queue.add(new Line(change, line));
        encoder.backlog().add(this, change);
    }

    private void cut() {
        Runnable toCall;
        synchronized (this) {
            LOG.atWarn()
                    .addKeyValue("kind", options.resource())
                    .addKeyValue("waiting", queue.size())
                    .log("watch.cut");
            drop();
            toCall = ready;
        }
        toCall.run();
    }

    private void drop() {
        ended = true;
        present = Collections.emptyIterator();
        queue.forEach(line -> encoder.backlog().remove(this, line.change()));
        queue.clear();
    }

    private void end(byte[] line) {
        synchronized (this) {
            put(null, () -> line);
            ended = true;
        }
    }

    private void timedOut() {
        Runnable toCall;
        synchronized (this) {
            ended = true;
            toCall = ready;
        }
        toCall.run();
    }

    /** A bookmark has its place among the changes, so it is added while the store is locked. */
    private void addBookmark() {
        api.store().atomically(() -> {
            long version = api.store().version();
            add(null, () -> bookmark(version, false));
            return true;
        });
    }

    private byte[] bookmark(long version, boolean endsInitialEvents) {
        return WatchLines.line("BOOKMARK", WatchLines.bookmark(options.resource(), version, endsInitialEvents));
    }

    private static void cancel(@Nullable ScheduledFuture<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }
}
