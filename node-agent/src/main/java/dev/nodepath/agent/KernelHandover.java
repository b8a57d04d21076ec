package dev.nodepath.agent;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an ending userspace proxy leaves to carry its Services: the rules of iptables mode. They stand before the relay stops, so
 * new connections need no process until the next one is there, which takes the rules over or removes them, as its mode asks.
 * Nothing is left where another process has the portals or has rules of iptables mode already, nor by a proxy that never synced.
 */
final class KernelHandover implements SyncListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KernelHandover.class);

    private final UserspaceProxy relay;
    private final IptablesProxy rules;
    private final List<? extends Iptables> families;
    private volatile Optional<ServiceSnapshot> last = Optional.empty();

    /**
     * Leaves nothing yet.
     *
     * @param rules the iptables mode of the same node
     * @param families the commands of both
     */
    KernelHandover(UserspaceProxy relay, IptablesProxy rules, List<? extends Iptables> families) {
        this.relay = relay;
        this.rules = rules;
        this.families = families;
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        if (!inForce.isEmpty()) {
            last = Optional.of(snapshot);
        }
    }

    /** Writes the rules. To be called when the last sync has ended and the relay still listens. It fails nobody. */
    @Override
    public void close() {
        if (last.isEmpty()) {
            return;
        }
        try {
            if (!isLeftToOthers()) {
                leave(last.get());
            }
        } catch (IOException | SyncException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("proxy.handover_failed");
        }
    }

    private boolean isLeftToOthers() throws IOException {
        for (Iptables iptables : families) {
            if (IptablesProxy.hasRules(iptables)) {
                return true;
            }
        }
        return relay.isTakenOver();
    }

    private void leave(ServiceSnapshot snapshot) throws IOException, SyncException {
        long start = System.nanoTime();
        rules.sync(snapshot, ChangeSet.of(snapshot.services().keySet()));
        if (relay.isTakenOver()) {
            // It began meanwhile, and may have looked for rules of iptables mode before these were there.
            removeRules();
            return;
        }
        LOG.atInfo()
                .addKeyValue("services", snapshot.services().size())
                .addKeyValue(
                        "duration_ms",
                        Duration.ofNanos(System.nanoTime() - start).toMillis())
                .log("proxy.handed_over");
    }

    private void removeRules() throws IptablesException {
        ProxyMode.IPTABLES.removeRules(families);
    }
}
