package dev.nodepath.agent.proxy;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.options.RuleRemoval;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes another mode's rules once this mode's rules of the family are in force. It checks again after each full sync:
 * a process of the other mode may end, and write rules, after the first check. After a failure it waits, because a
 * try costs seconds in a large cluster and delays the next sync.
 */
public final class OtherModeRemover implements SyncListener {
    static final BackOff RETRY = new BackOff(Duration.ofSeconds(1), Duration.ofMinutes(5));

    private static final Logger LOG = LoggerFactory.getLogger(OtherModeRemover.class);

    private final ProxyMode other;
    private final RuleRemoval removal;
    private final List<? extends Iptables> families;
    private final BooleanSupplier isNeeded;
    private final ToLongFunction<IpFamily> fullSyncs;
    private final InstantSource clock;
    private final Map<IpFamily, Retry> retries = new HashMap<>();

    /** The value of {@link #fullSyncs} at the last successful check; read by another thread too. */
    private final Map<IpFamily, Long> removedAt = new ConcurrentHashMap<>();

    /** When to try again after failures in a row. */
    private record Retry(Instant due, int failures) {}

    /**
     * Has not removed rules yet.
     *
     * @param removal of the other mode's rules
     * @param families the proxy's commands, so that its table watch takes these changes for its own
     * @param fullSyncs see {@link dev.nodepath.endpoints.ServiceProxy#fullSyncs}
     * @param isNeeded whether there may be rules to remove, because a check takes seconds in a large cluster
     */
    public OtherModeRemover(
            ProxyMode other,
            RuleRemoval removal,
            List<? extends Iptables> families,
            ToLongFunction<IpFamily> fullSyncs,
            BooleanSupplier isNeeded,
            InstantSource clock) {
        this.other = other;
        this.removal = removal;
        this.families = families;
        this.fullSyncs = fullSyncs;
        this.isNeeded = isNeeded;
        this.clock = clock;
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        for (Iptables iptables : families) {
            IpFamily family = iptables.family();
            long now = fullSyncs.applyAsLong(family);
            if (inForce.contains(family) && !Objects.equals(removedAt.get(family), now) && !waits(family)) {
                removedAt.remove(family);
                remove(iptables, now);
            }
        }
    }

    /** Whether rules of another mode may still exist. */
    boolean isDue(IpFamily family) {
        return !removedAt.containsKey(family);
    }

    private boolean waits(IpFamily family) {
        Retry retry = retries.get(family);
        return retry != null && clock.instant().isBefore(retry.due());
    }

    private void remove(Iptables iptables, long now) {
        IpFamily family = iptables.family();
        try {
            if (isNeeded.getAsBoolean()) {
                removal.remove(iptables);
            }
            removedAt.put(family, now);
            retries.remove(family);
        } catch (IptablesException e) {
            Retry last = retries.get(family);
            int failures = last == null ? 1 : last.failures() + 1;
            Duration delay = RETRY.after(failures);
            retries.put(family, new Retry(clock.instant().plus(delay), failures));
            LOG.atWarn()
                    .addKeyValue("mode", other)
                    .addKeyValue("family", family)
                    .addKeyValue("error", e.getMessage())
                    .addKeyValue("retry_in_s", delay.toSeconds())
                    .log("proxy.other_mode_not_removed");
        }
    }
}
