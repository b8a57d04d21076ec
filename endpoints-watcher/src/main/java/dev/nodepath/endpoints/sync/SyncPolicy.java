package dev.nodepath.endpoints.sync;

import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.util.Optional;

/**
 * How often a proxy is synced.
 *
 * @param minInterval the shortest pause from the end of a sync to the start of the next, 0 or more
 *     ({@code minSyncPeriod}); a sync that took long is followed by a longer one, see {@link #pauseAfter}
 * @param retry the waits after failures
 * @param syncPeriod the longest time from the end of a sync to the start of the next, even without changes; at least
 *     minInterval; empty for no limit
 */
public record SyncPolicy(Duration minInterval, BackOff retry, Optional<Duration> syncPeriod) {
    /**
     * Pauses that follow the cost of syncs alone, kube-proxy's period, and a retry that starts sooner than its 30 s.
     */
    public static final SyncPolicy DEFAULT = new SyncPolicy(
            Duration.ZERO,
            new BackOff(Duration.ofMillis(200), Duration.ofSeconds(30)),
            Optional.of(Duration.ofSeconds(30)));

    /** Under steady change a proxy syncs for an eighth of the time. */
    static final int PAUSES_PER_COST = 7;

    /** However long a sync took, the next change waits no longer than with kube-proxy's default. */
    static final Duration PAUSE_MAX = Duration.ofSeconds(1);

    public SyncPolicy {
        check(!minInterval.isNegative(), "minInterval", minInterval, ">= 0");
        syncPeriod.ifPresent(period -> {
            check(!period.isNegative() && !period.isZero(), "syncPeriod", period, "> 0");
            check(period.compareTo(minInterval) >= 0, "syncPeriod", period, ">= the least, " + minInterval);
        });
    }

    /**
     * The pause after a sync that took this long. At least minInterval, which may be longer than {@link #PAUSE_MAX};
     * at most syncPeriod, by which a proxy's health is judged.
     */
    Duration pauseAfter(Duration cost) {
        Duration share = cost.multipliedBy(PAUSES_PER_COST);
        Duration most =
                syncPeriod.filter(period -> period.compareTo(PAUSE_MAX) < 0).orElse(PAUSE_MAX);
        Duration pause = share.compareTo(most) < 0 ? share : most;
        return pause.compareTo(minInterval) < 0 ? minInterval : pause;
    }

    private static void check(boolean holds, String field, Duration was, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(field + ": " + was + " (expected: " + expected + ")");
        }
    }
}
