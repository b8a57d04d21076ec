package dev.nodepath.controllers.object;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs controllers, one key at a time, so a controller never sees another's unfinished work. Without {@link #start()}
 * only {@link #runUntilIdle()} runs them.
 */
public final class ControllerLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerLoop.class);
    private static final BackOff RETRY = new BackOff(Duration.ofMillis(5), Duration.ofSeconds(10));
    private static final long CLOSE_MILLIS_MAX = 5000;

    /** A key with so many failures in a row is a trouble. */
    private static final int TROUBLE_FAILURES = 3;

    private static final int TROUBLES_MAX = 5;

    private final WorkQueue queue;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Map<WorkQueue.Item, Integer> failures = new HashMap<>();
    private final Thread thread = new Thread(this::run, "controllers");
    /** The error of each key that fails repeatedly. */
    private final Map<WorkQueue.Item, String> failing = new ConcurrentHashMap<>();

    private volatile boolean closed;
    private volatile Restarts restarts = new Restarts(0, "");

    private record Restarts(int count, String cause) {}

    /** Subscribes the controllers' triggers; every present object counts as a change. */
    public ControllerLoop(ClusterApi api, InstantSource clock, List<Controller> controllers) {
        this.queue = new WorkQueue(clock);
        for (Controller controller : controllers) {
            KeyQueue keys = queue.of(controller);
            controller.triggers().forEach(trigger -> follow(api, trigger, keys));
            api.kinds().onCustom(custom -> controller.trigger(custom).ifPresent(trigger -> follow(api, trigger, keys)));
        }
    }

    private void follow(ClusterApi api, Trigger trigger, KeyQueue keys) {
        subscriptions.add(api.subscribe(
                trigger.resource(), event -> trigger.keys().apply(event).forEach(keys::add)));
    }

    /** Runs the controllers on a thread until {@link #close()}. After any exception they run again a little later. */
    public void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** The errors that keep the controllers from their work, a line each; empty if there are none. */
    public List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        Restarts past = restarts;
        if (past.count() > 0) {
            troubles.add("controllers: started again " + past.count() + (past.count() == 1 ? " time" : " times")
                    + ", last after " + past.cause());
        }
        failing.forEach((item, why) -> troubles.add(
                "controller " + item.controller().name() + ": " + item.key() + " fails again and again: " + why));
        int more = troubles.size() - TROUBLES_MAX;
        if (more > 0) {
            troubles.subList(TROUBLES_MAX, troubles.size()).clear();
            troubles.add(more + " more");
        }
        return troubles;
    }

    /** Reconciles on the caller's thread until no key is due; for tests, which set the clock themselves. */
    public void runUntilIdle() {
        Optional<WorkQueue.Item> next = queue.poll();
        while (next.isPresent()) {
            reconcile(next.get());
            next = queue.poll();
        }
    }

    /** Ends the thread after its present key. */
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
        int inARow = 0;
        while (!closed) {
            try {
                reconcile(queue.take());
                inARow = 0;
            } catch (InterruptedException e) {
                // closed, if anything
            } catch (RuntimeException | Error e) {
                inARow++;
                restart(e, RETRY.after(inARow));
            }
        }
    }

    private void restart(Throwable error, Duration pause) {
        restarts = new Restarts(restarts.count() + 1, error.toString());
        try {
            LOG.atError().setCause(error).log("controllers.restarted");
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException | RuntimeException | Error e) {
            // closed, or there is no memory for a log line
        }
    }

    /** An Error pauses the work on all keys for a moment, because memory may be short. */
    private void reconcile(WorkQueue.Item item) {
        KeyQueue keys = queue.of(item.controller());
        boolean retry = true;
        try {
            item.controller().reconcile(item.key(), keys);
            failures.remove(item);
            failing.remove(item);
            retry = false;
        } catch (RuntimeException e) {
            report(item, e, failures.merge(item, 1, Integer::sum));
        } catch (Error e) {
            failures.merge(item, 1, Integer::sum);
            throw e;
        } finally {
            if (retry) {
                keys.addAfter(item.key(), RETRY.after(failures.getOrDefault(item, 1)));
            }
        }
    }

    /**
     * An object that changed or was deleted meanwhile is no failure. Other errors are logged once until the key
     * succeeds.
     */
    private void report(WorkQueue.Item item, RuntimeException error, int count) {
        boolean overtaken =
                error instanceof StatusException refusal && (refusal.code() == 409 || refusal.code() == 404);
        if (count >= TROUBLE_FAILURES && !overtaken) {
            failing.put(item, String.valueOf(error.getMessage()));
        }
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
}
