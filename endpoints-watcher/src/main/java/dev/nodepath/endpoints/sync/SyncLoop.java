package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Syncs one proxy with the snapshots of a source, on its scheduler's thread. It guarantees:
 *
 * <ol>
 *   <li>Never two syncs at once.
 *   <li><li>The pause between the end of a sync and the start of the next one is in proportion to the sync's time,
 *       including its listener ({@link SyncPolicy#pauseAfter}), and at least {@code minInterval}.
 *   <li>A change after a quiet time is synced at once. Any other change waits for the running sync and the rest of its
 *       pause, but never longer. Changes join while they wait: the sync gets the newest snapshot and the union of the
 *       changes.
 *   <li>After a failure the loop tries again, after a wait that doubles up to {@code retryMax}, with the union of all
 *       unapplied changes. A new change waits only {@code retryMin}. A proxy may throw anything, even errors.
 *   <li>{@code syncPeriod}, if set, is the longest time from the end of a sync to the start of the next. Without
 *       changes the proxy gets the same snapshot again, with an empty change set.
 *   <li>The first offer is always synced, even an empty one. After that, an empty change set causes no sync.
 *   <li>When the loop is closed, waiting changes are tried once more, on the closing thread.
 * </ol>
 */
public final class SyncLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SyncLoop.class);

    private final ServiceProxy proxy;
    private final SyncPolicy policy;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final SyncListener listener;
    private final long startNanos;
    private final Instant started;

    /* All that follows is guarded by this. Moments are nanoseconds since the loop was made. */
    private @Nullable ServiceSnapshot desired;
    private ChangeSet unapplied = ChangeSet.NONE;
    /** Whether changes wait for a sync. */
    private boolean behind;

    /** Whether a change was offered since the last attempt began. */
    private boolean offered;

    private boolean running;
    private boolean closed;
    private int failures;
    private Duration retryIn = Duration.ZERO;
    private Optional<Long> lastEnd = Optional.empty();
    /** From the end of the last sync to the start of the next. */
    private Duration pause = Duration.ZERO;

    private Optional<Wake> wake = Optional.empty();
    /** The changes of the running sync. */
    private ChangeSet applying = ChangeSet.NONE;

    private long failed;
    private long serviceChanges;
    private long endpointChanges;
    private Optional<Instant> lastQueued = Optional.empty();
    private Optional<Instant> unappliedSince = Optional.empty();
    private Optional<Instant> applyingSince = Optional.empty();
    private Optional<Instant> lastSynced = Optional.empty();

    private record Wake(long at, Runnable cancel) {}

    /** Since is when its first change was offered; empty if it has none. */
    private record Attempt(ServiceSnapshot snapshot, ChangeSet changed, Optional<Instant> since) {}

    /** Makes a loop that waits for the first {@link #offer}. It closes the scheduler at its end, but not the proxy. */
    public SyncLoop(
            ServiceProxy proxy, SyncPolicy policy, Scheduler scheduler, RandomGenerator random, SyncListener listener) {
        this.proxy = proxy;
        this.policy = policy;
        this.scheduler = scheduler;
        this.random = random;
        this.listener = listener;
        this.startNanos = scheduler.nanoTime();
        this.started = scheduler.now();
    }

    /**
     * Requests a sync with this snapshot. Returns at once.
     *
     * @param snapshot replaces the last offered snapshot
     * @param changed the difference between the two
     */
    public synchronized void offer(ServiceSnapshot snapshot, ChangeSet changed) {
        boolean first = desired == null;
        desired = snapshot;
        if (first || !changed.isEmpty()) {
            unapplied = unapplied.and(changed);
            serviceChanges += changed.serviceChanges();
            endpointChanges += changed.endpointChanges();
            lastQueued = Optional.of(scheduler.now());
            unappliedSince = unappliedSince.or(() -> lastQueued);
            behind = true;
            offered = true;
            plan();
        }
    }

    /** The counts of syncs and changes, now. */
    public synchronized SyncStats stats() {
        return new SyncStats(
                failed,
                serviceChanges,
                unapplied.serviceChanges() + applying.serviceChanges(),
                endpointChanges,
                unapplied.endpointChanges() + applying.endpointChanges(),
                lastQueued,
                applyingSince.or(() -> unappliedSince),
                lastSynced);
    }

    /**
     * Waits for the running sync, then tries waiting changes once, at once: the result may stay in force for long. A
     * loop that has never synced tries nothing.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        scheduler.close();
        beginLast().ifPresent(this::sync);
    }

    /** Whether a sync is running. After {@link #close} it is a sync that could not be stopped. */
    public synchronized boolean isSyncing() {
        return running;
    }

    /** Makes sure that the loop wakes up when the next sync is due. */
    private void plan() {
        Optional<Long> due = due();
        if (running || closed || due.isEmpty()) {
            return;
        }
        if (wake.isPresent()) {
            if (wake.get().at <= due.get()) {
                return;
            }
            wake.get().cancel.run();
        }
        Duration delay = Duration.ofNanos(Math.max(0, due.get() - moment()));
        wake = Optional.of(new Wake(due.get(), scheduler.schedule(delay, this::run)));
    }

    /** The earliest start of the next sync; empty if none is necessary. */
    private Optional<Long> due() {
        if (lastEnd.isEmpty()) {
            return behind ? Optional.of(moment()) : Optional.empty();
        }
        if (!behind) {
            return policy.syncPeriod().map(period -> lastEnd.get() + period.toNanos());
        }
        Duration wait = Duration.ZERO;
        if (failures > 0) {
            wait = offered && policy.retry().first().compareTo(retryIn) < 0
                    ? policy.retry().first()
                    : retryIn;
        }
        return Optional.of(Math.max(moment(), lastEnd.get() + longer(wait, pause)));
    }

    private void run() {
        begin().ifPresent(this::sync);
    }

    private void sync(Attempt attempt) {
        long start = moment();
        Throwable error = apply(attempt);
        Duration duration = Duration.ofNanos(moment() - start);
        Duration retry = settle(attempt, error, duration);
        try {
            if (error == null) {
                reportSynced(attempt, duration);
            } else {
                reportFailed(error, retry);
            }
            listener.ended(attempt.snapshot, attempt.changed, inForce(error));
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("proxy.sync_listener_failed");
        } finally {
            end(start);
        }
    }

    private synchronized Optional<Attempt> begin() {
        wake = Optional.empty();
        Optional<Long> due = due();
        if (desired == null || running || closed || due.isEmpty()) {
            return Optional.empty();
        }
        if (due.get() > moment()) {
            plan();
            return Optional.empty();
        }
        return Optional.of(attempt(desired));
    }

    private synchronized Optional<Attempt> beginLast() {
        return desired != null && behind && !running && lastSynced.isPresent()
                ? Optional.of(attempt(desired))
                : Optional.empty();
    }

    private Attempt attempt(ServiceSnapshot snapshot) {
        Attempt attempt = new Attempt(snapshot, unapplied, unappliedSince);
        applying = unapplied;
        applyingSince = unappliedSince;
        unapplied = ChangeSet.NONE;
        unappliedSince = Optional.empty();
        behind = false;
        offered = false;
        running = true;
        return attempt;
    }

    /**
     * Runs the sync and catches everything. The loop must survive: without it the node's rules would go stale silently.
     */
    private @Nullable Throwable apply(Attempt attempt) {
        try {
            proxy.sync(attempt.snapshot, attempt.changed);
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private synchronized Duration settle(Attempt attempt, @Nullable Throwable error, Duration duration) {
        if (error == null) {
            failures = 0;
            retryIn = Duration.ZERO;
            lastSynced = Optional.of(scheduler.now());
        } else {
            failures++;
            failed++;
            retryIn = retryWait(policy.pauseAfter(duration));
            unapplied = attempt.changed.and(unapplied);
            unappliedSince = applyingSince.or(() -> unappliedSince).or(() -> Optional.of(scheduler.now()));
            behind = true;
        }
        applying = ChangeSet.NONE;
        applyingSince = Optional.empty();
        return retryIn;
    }

    private Duration retryWait(Duration atLeast) {
        Duration backoff = policy.retry().after(failures, random);
        Duration period = policy.syncPeriod().orElse(backoff);
        return Duration.ofNanos(longer(backoff.compareTo(period) < 0 ? backoff : period, atLeast));
    }

    private synchronized void end(long start) {
        running = false;
        long now = moment();
        lastEnd = Optional.of(now);
        pause = policy.pauseAfter(Duration.ofNanos(now - start));
        plan();
    }

    /** A periodic sync of the snapshot that is already in force is no event. */
    private void reportSynced(Attempt attempt, Duration duration) {
        LoggingEventBuilder event = (attempt.since.isPresent() ? LOG.atInfo() : LOG.atDebug())
                .addKeyValue("changed", attempt.changed.servicePorts().size())
                .addKeyValue("services", attempt.snapshot.services().size())
                .addKeyValue("duration_ms", duration.toMillis());
        Optional<Duration> waited = attempt.since
                .map(since -> Duration.between(since, scheduler.now()).minus(duration))
                .map(wait -> wait.isNegative() ? Duration.ZERO : wait);
        if (waited.isPresent()) {
            event = event.addKeyValue("waited_ms", waited.get().toMillis());
        }
        if (attempt.changed.lastTrigger().isPresent()) {
            Instant trigger = attempt.changed.lastTrigger().get();
            event = event.addKeyValue("trigger", trigger);
            if (trigger.isAfter(started)) {
                // Older changes have waited for the start of this loop.
                event = event.addKeyValue(
                        "latency_ms", Duration.between(trigger, scheduler.now()).toMillis());
            }
        }
        event.log("proxy.synced");
        listener.synced(attempt.snapshot, attempt.changed, duration, waited);
    }

    private void reportFailed(Throwable error, Duration retry) {
        boolean expected = error instanceof SyncException;
        LoggingEventBuilder event = expected ? LOG.atWarn() : LOG.atError().setCause(error);
        event.addKeyValue("error", expected ? error.getMessage() : error)
                .addKeyValue("retry_ms", retry.toMillis())
                .log("proxy.sync_failed");
        listener.failed(error, retry);
    }

    private static Set<IpFamily> inForce(@Nullable Throwable error) {
        if (error == null) {
            return EnumSet.allOf(IpFamily.class);
        }
        return error instanceof SyncException partly ? partly.inForce() : Set.of();
    }

    private long moment() {
        return scheduler.nanoTime() - startNanos;
    }

    private static long longer(Duration one, Duration other) {
        return Math.max(one.toNanos(), other.toNanos());
    }
}
