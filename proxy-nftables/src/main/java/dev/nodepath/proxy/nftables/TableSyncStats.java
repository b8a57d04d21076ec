package dev.nodepath.proxy.nftables;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Counters of the syncs of one family's table since the process started, for metrics.
 *
 * @param fullSyncs successful full syncs: they compute all rules
 * @param partialSyncs successful partial syncs: they compute the rules of changed Services
 * @param fullFailures full syncs that failed
 * @param partialFailures partial syncs that failed; each was followed by a full one at once
 * @param cleanupFailures removals of unused chains that failed; each was followed by a full sync
 * @param repairs how often a sync repaired what other programs had changed in the table
 * @param lastFull the duration of the last full sync, successful or not. Zero before the first.
 * @param lastPartial the duration of the last successful partial sync
 * @param lastSync the end of the last successful sync, also if it changed nothing
 * @param chains the chains in force
 * @param elements the elements of sets and maps in force, without those that packets added
 * @param written all changes that were sent: chains, rules, sets, and lists of elements
 * @param refusedServicePorts service ports without rules, because computing them failed or the kernel refused them
 */
public record TableSyncStats(
        long fullSyncs,
        long partialSyncs,
        long fullFailures,
        long partialFailures,
        long cleanupFailures,
        long repairs,
        Duration lastFull,
        Duration lastPartial,
        Optional<Instant> lastSync,
        int chains,
        int elements,
        long written,
        int refusedServicePorts) {

    /** Nothing has happened yet. */
    public static final TableSyncStats NONE =
            new TableSyncStats(0, 0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, Optional.empty(), 0, 0, 0, 0);
}
