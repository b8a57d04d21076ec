package dev.nodepath.controllers.queue;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.store.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs controllers, one key at a time: a controller never sees another's half-done work. Without {@link #start()} nobody
 * runs them but {@link #runUntilIdle()}.
 */
public final class ControllerLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerLoop.class);
    private static final Duration RETRY_MIN = Duration.ofMillis(5);
    private static final Duration RETRY_MAX = Duration.ofSeconds(10);
    private static final int DOUBLINGS_MAX = 11;
    private static final long CLOSE_MILLIS_MAX = 5000;

    private final WorkQueue queue;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final Map<WorkQueue.Item, Integer> failures = new HashMap<>();
    private final Thread thread = new Thread(this::run, "controllers");
    private volatile boolean closed;

    /** Subscribes to what the controllers want to hear of; everything that is there counts as a change. */
    public ControllerLoop(ClusterApi api, Clock clock, List<Controller> controllers) {
        this.queue = new WorkQueue(clock);
        for (Controller controller : controllers) {
            KeyQueue keys = queue.of(controller);
            for (Trigger trigger : controller.triggers()) {
                subscriptions.add(api.subscribe(
                        trigger.resource(), event -> trigger.keys().apply(event).forEach(keys::add)));
            }
        }
    }

    /** Runs the controllers on a thread until {@link #close()}. */
    public void start() {
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler(
                (each, error) -> LOG.atError().setCause(error).log("controllers.died"));
        thread.start();
    }

    /** Reconciles on the caller's thread until no key is due; for tests, which move the clock themselves. */
    public void runUntilIdle() {
        Optional<WorkQueue.Item> next = queue.poll();
        while (next.isPresent()) {
            reconcile(next.get());
            next = queue.poll();
        }
    }

    /** Ends the thread after the key that it works on. */
    @Override
    public void close() {
        closed = true;
        subscriptions.forEach(Subscription::close);
        thread.interrupt();
        try {
            thread.join(CLOSE_MILLIS_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closed) {
                reconcile(queue.take());
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void reconcile(WorkQueue.Item item) {
        KeyQueue keys = queue.of(item.controller());
        try {
            item.controller().reconcile(item.key(), keys);
            failures.remove(item);
        } catch (RuntimeException e) {
            int count = failures.merge(item, 1, Integer::sum);
            report(item, e, count);
            keys.addAfter(item.key(), delay(count));
        }
    }

    /** An object that changed or went meanwhile is no failure. Others are told once until the key succeeds. */
    private static void report(WorkQueue.Item item, RuntimeException error, int count) {
        boolean overtaken =
                error instanceof StatusException refusal && (refusal.code() == 409 || refusal.code() == 404);
        if (count > 1 || overtaken) {
            return;
        }
        @Nullable Throwable cause = error instanceof StatusException ? null : error;
        LOG.atWarn()
                .addKeyValue("controller", item.controller().name())
                .addKeyValue("object", item.key())
                .addKeyValue("error", error.getMessage())
                .setCause(cause)
                .log("controller.failed");
    }

    private static Duration delay(int failures) {
        Duration delay = RETRY_MIN.multipliedBy(1L << Math.min(failures - 1, DOUBLINGS_MAX));
        return delay.compareTo(RETRY_MAX) < 0 ? delay : RETRY_MAX;
    }
}
