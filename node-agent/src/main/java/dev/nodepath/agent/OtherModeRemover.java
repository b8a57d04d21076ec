package dev.nodepath.agent;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes what another mode has left behind, as soon as this one carries the traffic of the family and not before. */
final class OtherModeRemover implements SyncListener {
    private static final Logger LOG = LoggerFactory.getLogger(OtherModeRemover.class);

    private final ProxyMode other;
    private final List<? extends Iptables> families;
    private final BooleanSupplier isNeeded;
    private final Set<IpFamily> removed = EnumSet.noneOf(IpFamily.class);

    /**
     * Has removed nothing yet.
     *
     * @param families the commands that the proxy uses, so that it takes what happens here for its own
     * @param isNeeded whether there may be anything to remove: to look for it takes seconds in a large cluster
     */
    OtherModeRemover(ProxyMode other, List<? extends Iptables> families, BooleanSupplier isNeeded) {
        this.other = other;
        this.families = families;
        this.isNeeded = isNeeded;
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        for (Iptables iptables : families) {
            if (inForce.contains(iptables.family()) && !removed.contains(iptables.family())) {
                remove(iptables);
            }
        }
    }

    private void remove(Iptables iptables) {
        try {
            if (isNeeded.getAsBoolean()) {
                other.removeRules(List.of(iptables));
            }
            removed.add(iptables.family());
        } catch (IptablesException e) {
            LOG.atWarn()
                    .addKeyValue("mode", other)
                    .addKeyValue("family", iptables.family())
                    .addKeyValue("error", e.getMessage())
                    .log("proxy.other_mode_left");
        }
    }
}
