package dev.nodepath.agent.proxy;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.command.Iptables;
import dev.nodepath.linux.iptables.command.IptablesException;
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
 * a process of the other mode may end, and write rules, after the first check.
 */
public final class OtherModeRemover implements SyncListener {
    private static final Logger LOG = LoggerFactory.getLogger(OtherModeRemover.class);

    private final ProxyMode other;
    private final List<? extends Iptables> families;
    private final BooleanSupplier isNeeded;
    private final ToLongFunction<IpFamily> fullSyncs;

    /** The value of {@link #fullSyncs} at the last successful check; read by another thread too. */
    private final Map<IpFamily, Long> removedAt = new ConcurrentHashMap<>();

    /**
     * Has removed nothing yet.
     *
     * @param families the proxy's commands, so that its table watch takes these changes for its own
     * @param fullSyncs see {@link dev.nodepath.endpoints.ServiceProxy#fullSyncs}
     * @param isNeeded whether there may be rules to remove: a check takes seconds in a large cluster
     */
    public OtherModeRemover(
            ProxyMode other,
            List<? extends Iptables> families,
            ToLongFunction<IpFamily> fullSyncs,
            BooleanSupplier isNeeded) {
        this.other = other;
        this.families = families;
        this.fullSyncs = fullSyncs;
        this.isNeeded = isNeeded;
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        for (Iptables iptables : families) {
            IpFamily family = iptables.family();
            long now = fullSyncs.applyAsLong(family);
            if (inForce.contains(family) && !Objects.equals(removedAt.get(family), now)) {
                removedAt.remove(family);
                remove(iptables, now);
            }
        }
    }

    /** Whether rules of another mode may still exist. */
    boolean isDue(IpFamily family) {
        return !removedAt.containsKey(family);
    }

    private void remove(Iptables iptables, long now) {
        try {
            if (isNeeded.getAsBoolean()) {
                other.removeRules(List.of(iptables));
            }
            removedAt.put(iptables.family(), now);
        } catch (IptablesException e) {
            LOG.atWarn()
                    .addKeyValue("mode", other)
                    .addKeyValue("family", iptables.family())
                    .addKeyValue("error", e.getMessage())
                    .log("proxy.other_mode_not_removed");
        }
    }
}
