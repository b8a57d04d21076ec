package dev.nodepath.agent.metrics;

import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.address.IpFamily;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The times of full and partial syncs of a mode that writes rules, by family. Names of kube-proxy. */
public final class SyncDurations {
    private final Function<IpFamily, RuleSyncStats<?>> counts;
    private final Histogram fullSync;
    private final Histogram partialSync;
    private final Map<IpFamily, RuleSyncStats<?>> observed = new EnumMap<>(IpFamily.class);

    SyncDurations(Definitions define, List<IpFamily> families, Function<IpFamily, RuleSyncStats<?>> counts) {
        this.counts = counts;
        fullSync = define.histogram(
                "kubeproxy_sync_full_proxy_rules_duration_seconds",
                "SyncProxyRules latency in seconds for full resyncs",
                Buckets.SYNC);
        partialSync = define.histogram(
                "kubeproxy_sync_partial_proxy_rules_duration_seconds",
                "SyncProxyRules latency in seconds for partial resyncs",
                Buckets.SYNC);
        families.forEach(family -> observed.put(family, counts.apply(family)));
    }

    /**
     * Observes the sync that has just ended or failed, if the family wrote or checked its rules. Call it on the syncing
     * thread.
     *
     * @return the time of the family's sync
     */
    Optional<Duration> observe(IpFamily family) {
        RuleSyncStats<?> now = counts.apply(family);
        RuleSyncStats<?> before = observed.put(family, now);
        if (before == null || fullTries(now) > fullTries(before)) {
            fullSync.labelValues(family.toString()).observe(Seconds.of(now.lastFull()));
            return Optional.of(now.lastFull());
        }
        if (now.partialSyncs() > before.partialSyncs()) {
            partialSync.labelValues(family.toString()).observe(Seconds.of(now.lastPartial()));
            return Optional.of(now.lastPartial());
        }
        return Optional.empty();
    }

    private static long fullTries(RuleSyncStats<?> stats) {
        return stats.fullSyncs() + stats.fullFailures();
    }
}
