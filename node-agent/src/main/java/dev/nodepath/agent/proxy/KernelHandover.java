package dev.nodepath.agent.proxy;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.proxy.iptables.IptablesProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the rules of iptables mode when a userspace proxy ends. They are in place before the relay stops, so new
 * connections need no process. The next process takes the rules over or removes them, by its mode. Nothing is written
 * if another process has the portals or rules of iptables mode, or if the proxy never synced.
 */
final class KernelHandover implements SyncListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KernelHandover.class);

    private final Successor successor;
    private final ServiceProxy rules;
    private final List<? extends Iptables> families;
    private final Supplier<ServiceSnapshot> newest;
    private final Predicate<IpFamily> isRemovalDue;
    private volatile boolean synced;

    /** A process that carries the Services from now on. */
    interface Successor {
        /**
         * Whether a handover has begun: another live process has the portals, or a table of nftables mode has
         * appeared.
         */
        boolean hasStarted() throws IOException;
    }

    /**
     * Does not write yet.
     *
     * @param rules the iptables mode of the same node
     * @param families the commands of both
     * @param newest the latest snapshot when it is closed
     * @param isRemovalDue whether rules of iptables mode are leftovers that this process has yet to remove
     */
    KernelHandover(
            Successor successor,
            ServiceProxy rules,
            List<? extends Iptables> families,
            Supplier<ServiceSnapshot> newest,
            Predicate<IpFamily> isRemovalDue) {
        this.successor = successor;
        this.rules = rules;
        this.families = families;
        this.newest = newest;
        this.isRemovalDue = isRemovalDue;
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        synced |= !inForce.isEmpty();
    }

    /**
     * Writes the rules. Call it after the last sync, while the relay still listens. It logs failures and does not
     * throw.
     */
    @Override
    public void close() {
        if (!synced) {
            return;
        }
        try {
            if (!isLeftToOthers()) {
                leave(newest.get());
            }
        } catch (IOException | SyncException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("proxy.handover_failed");
        }
    }

    private boolean isLeftToOthers() throws IOException {
        for (Iptables iptables : families) {
            if (!isRemovalDue.test(iptables.family()) && IptablesProxy.hasRules(iptables)) {
                return true;
            }
        }
        return successor.hasStarted();
    }

    private void leave(ServiceSnapshot snapshot) throws IOException, SyncException {
        long start = System.nanoTime();
        boolean taken;
        try {
            // The first sync is always a full one.
            rules.sync(snapshot, ChangeSet.NONE);
        } finally {
            // Another process may have started meanwhile and looked for rules of iptables mode too early.
            taken = successor.hasStarted();
            if (taken) {
                ProxyMode.IPTABLES.removeRules(families);
            }
        }
        if (!taken) {
            LOG.atInfo()
                    .addKeyValue("services", snapshot.services().size())
                    .addKeyValue(
                            "duration_ms",
                            Duration.ofNanos(System.nanoTime() - start).toMillis())
                    .log("proxy.handed_over");
        }
    }
}
