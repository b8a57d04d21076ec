package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.iptables.rule.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What the syncs of one family have done since the process started, for metrics. Immutable.
 *
 * @param fullSyncs that succeeded: all rules were worked out
 * @param partialSyncs that succeeded: only those of what changed
 * @param fullFailures full syncs that failed
 * @param partialFailures partial syncs that failed; each was followed by a full one at once
 * @param repairs how often others had changed rules of ours
 * @param lastFull how long the last full sync took, well or not; zero before the first
 * @param lastPartial how long the last partial sync took that succeeded; one that failed counts with the full sync after it
 * @param lastSync when the last successful sync ended, one that had nothing to do included
 * @param rules of ours in force, by table, hooks not counted
 * @param written rules that were sent when something was last brought into force, by table
 * @param refusedServicePorts how many service ports are left out because their rules could not be
 *     worked out, or the kernel refused them
 */
public record FamilySyncStats(
        long fullSyncs,
        long partialSyncs,
        long fullFailures,
        long partialFailures,
        long repairs,
        Duration lastFull,
        Duration lastPartial,
        Optional<Instant> lastSync,
        Map<Table, Integer> rules,
        Map<Table, Integer> written,
        int refusedServicePorts) {

    static final FamilySyncStats NONE =
            new FamilySyncStats(0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, Optional.empty(), Map.of(), Map.of(), 0);

    /** Copies the maps. */
    public FamilySyncStats {
        rules = Map.copyOf(rules);
        written = Map.copyOf(written);
    }
}
