package dev.nodepath.apiserver.watch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.request.PieceSource;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.apiserver.store.TooOldException;
import java.time.Duration;
import java.util.ArrayDeque;
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
 * One watch. The store adds changes to its queue, and the connection takes lines from it. A client that is
 * {@value #QUEUE_MAX} changes behind is cut; it begins again where it was, or lists.
 */
public final class WatchSource implements PieceSource {
    /** Changes that wait for a slow client. */
    public static final int QUEUE_MAX = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(WatchSource.class);
    private static final Duration BOOKMARK_PERIOD = Duration.ofMinutes(1);

    private final ClusterApi api;
    private final WatchOptions options;
    private final EventEncoder encoder;
    private final ScheduledExecutorService timer;
    private final Queue<Supplier<byte[]>> queue = new ArrayDeque<>();
    private boolean counting;
    private boolean ended;
    private boolean closed;
    private Runnable ready = () -> {};
    private @Nullable Subscription subscription;
    private @Nullable ScheduledFuture<?> end;
    private @Nullable ScheduledFuture<?> bookmarks;

    /**
     * A watch that has not begun.
     *
     * @param encoder the one of all watches
     * @param timer for bookmarks and the end
     */
    public WatchSource(ClusterApi api, WatchOptions options, EventEncoder encoder, ScheduledExecutorService timer) {
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
        @Nullable Supplier<byte[]> next;
        synchronized (this) {
            next = queue.poll();
        }
        return next == null ? null : next.get();
    }

    @Override
    public synchronized boolean ended() {
        return ended && queue.isEmpty();
    }

    @Override
    public void close() {
        @Nullable Subscription old;
        synchronized (this) {
            closed = true;
            ended = true;
            queue.clear();
            old = subscription;
            cancel(end);
            cancel(bookmarks);
        }
        if (old != null) {
            old.close();
        }
    }

    /** While the store is locked: nothing happens between the present objects and the first change. */
    private void begin() {
        long version = api.store().version();
        Subscription added;
        try {
            if (options.since().isPresent() && options.since().getAsLong() > version) {
                // A server that has lost its objects counts from anew: what the client knows is gone.
                end(WatchLines.expired(
                        "too large resource version: " + options.since().getAsLong() + ", current: " + version));
                return;
            }
            added = options.since().isPresent()
                    ? api.subscribe(options.stored(), options.since().getAsLong(), this::changed)
                    : api.subscribe(options.stored(), this::changed);
        } catch (TooOldException e) {
            end(WatchLines.expired(String.valueOf(e.getMessage())));
            return;
        }
        synchronized (this) {
            counting = true;
            subscription = added;
            if (options.initialEnd()) {
                queue.add(() -> bookmark(version, true));
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
            add(() -> event.line(meaning, options.form()));
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

    private void add(Supplier<byte[]> line) {
        Runnable toCall;
        synchronized (this) {
            if (ended) {
                return;
            }
            queue.add(line);
            if (counting && queue.size() > QUEUE_MAX) {
                LOG.warn("watch.cut kind={} waiting={}", options.resource(), queue.size());
                queue.clear();
                ended = true;
            }
            toCall = ready;
        }
        toCall.run();
    }

    private void end(byte[] line) {
        synchronized (this) {
            queue.add(() -> line);
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

    /** Its place in the queue is among the changes, so it is added while the store is locked. */
    private void addBookmark() {
        api.store().atomically(() -> {
            long version = api.store().version();
            add(() -> bookmark(version, false));
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
