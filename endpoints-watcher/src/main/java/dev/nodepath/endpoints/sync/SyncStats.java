package dev.nodepath.endpoints.sync;

import java.time.Instant;
import java.util.Optional;

/**
 * The counts of a {@link SyncLoop} at one moment: the values of kube-proxy's {@code sync_proxy_rules_*} metrics and its
 * health answers.
 *
 * @param failures syncs that failed
 * @param serviceChanges changes of Services that were offered since the start
 * @param serviceChangesPending how many of them are not in force yet
 * @param endpointChanges changes of slices that were offered since the start
 * @param endpointChangesPending how many of them are not in force yet
 * @param lastQueued when a sync was last asked for
 * @param pendingSince when the oldest change that is not in force yet was offered; empty if all is in force
 * @param lastSynced when a sync last succeeded
 */
public record SyncStats(
        long failures,
        long serviceChanges,
        int serviceChangesPending,
        long endpointChanges,
        int endpointChangesPending,
        Optional<Instant> lastQueued,
        Optional<Instant> pendingSince,
        Optional<Instant> lastSynced) {}
