package dev.nodepath.endpoints.sync;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Counters of the syncs of one family since the process started, for metrics.
 *
 * @param <S> the mode's own counts
 * @param fullSyncs successful full syncs: they compute all rules
 * @param partialSyncs successful partial syncs: they compute the rules of changed Services
 * @param fullFailures full syncs that failed
 * @param partialFailures partial syncs that failed; each was followed by a full one at once
 * @param repairs how often a sync repaired rules that other programs had changed
 * @param lastFull the duration of the last full sync, successful or not. Zero before the first
 * @param lastPartial the duration of the last successful partial sync. A failed one counts as part of the full sync
 *     after it
 * @param lastSync the end of the last successful sync, also if it changed nothing
 * @param refusedServicePorts service ports without rules, because computing them failed or the kernel refused them
 * @param size the size of the rules in force
 */
public record RuleSyncStats<S>(
        long fullSyncs,
        long partialSyncs,
        long fullFailures,
        long partialFailures,
        long repairs,
        Duration lastFull,
        Duration lastPartial,
        Optional<Instant> lastSync,
        int refusedServicePorts,
        S size) {

    /** Nothing has happened yet. */
    public static <S> RuleSyncStats<S> none(S size) {
        return new RuleSyncStats<>(0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, Optional.empty(), 0, size);
    }
}
