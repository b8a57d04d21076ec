package dev.nodepath.agent;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes what another mode has left behind, as soon as this one carries the traffic and not before. */
final class OtherModeRemover implements SyncListener {
    private static final Logger LOG = LoggerFactory.getLogger(OtherModeRemover.class);

    private final ProxyMode other;
    private final Optional<IptablesVariant> variant;
    private boolean removed;

    OtherModeRemover(ProxyMode other, Optional<IptablesVariant> variant) {
        this.other = other;
        this.variant = variant;
    }

    @Override
    public void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration) {
        if (!removed) {
            try {
                other.removeRules(variant);
                removed = true;
            } catch (IptablesException e) {
                LOG.atWarn()
                        .addKeyValue("mode", other)
                        .addKeyValue("error", e.getMessage())
                        .log("proxy.other_mode_left");
            }
        }
    }
}
