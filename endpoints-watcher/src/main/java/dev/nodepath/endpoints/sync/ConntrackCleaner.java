package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes tracked flows that no longer match the rules. It runs after the first sync of a family and after each sync
 * that changed a Service of the protocol. It always handles UDP, and TCP if configured. The next packet of a removed
 * UDP flow meets the new rules. A removed TCP flow is reset by its new endpoint, which does not know it.
 *
 * <p>It never fails a sync. It logs and counts a failure, and tries again after half a second, then after doubled
 * waits, and after each sync.
 */
public final class ConntrackCleaner implements SyncListener {
    static final BackOff RETRY = new BackOff(Duration.ofMillis(500), Duration.ofSeconds(30));

    private static final Logger LOG = LoggerFactory.getLogger(ConntrackCleaner.class);

    private final Conntrack conntrack;
    private final NetworkNamespace namespace;
    private final String node;
    private final NodePortAddresses nodePortAddresses;
    private final List<Cleaning> cleanings;
    private final ConntrackCleanerListener listener;
    private final Scheduler scheduler;
    private int failures;
    private boolean retryPlanned;

    /** The state of one protocol and family. */
    private static final class Cleaning {
        private final Protocol protocol;
        private final IpFamily family;
        private ServiceSnapshot before = ServiceSnapshot.EMPTY;
        private boolean due = true;

        /** The snapshot of a failed run; null if the last run succeeded. */
        private @Nullable ServiceSnapshot missed;

        Cleaning(Protocol protocol, IpFamily family) {
            this.protocol = protocol;
            this.family = family;
        }
    }

    /**
     * A cleaner that has not run yet.
     *
     * @param conntrack of the namespace that the rules are in
     * @param namespace the same namespace; its addresses serve node ports
     * @param node the name of the Node
     * @param nodePortAddresses selects the addresses that serve node ports
     * @param families the served families
     * @param tcp whether TCP connections to removed endpoints are reset
     * @param scheduler the scheduler of the sync loop. Everything runs on its thread.
     */
    public ConntrackCleaner(
            Conntrack conntrack,
            NetworkNamespace namespace,
            String node,
            NodePortAddresses nodePortAddresses,
            Collection<IpFamily> families,
            boolean tcp,
            ConntrackCleanerListener listener,
            Scheduler scheduler) {
        this.conntrack = conntrack;
        this.namespace = namespace;
        this.node = node;
        this.nodePortAddresses = nodePortAddresses;
        this.listener = listener;
        this.scheduler = scheduler;
        List<Cleaning> all = new ArrayList<>();
        for (IpFamily family : families) {
            all.add(new Cleaning(Protocol.UDP, family));
            if (tcp) {
                all.add(new Cleaning(Protocol.TCP, family));
            }
        }
        this.cleanings = List.copyOf(all);
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        for (Cleaning cleaning : cleanings) {
            cleaning.due |= changed.servicePorts().stream().anyMatch(name -> name.protocol() == cleaning.protocol);
        }
        for (Cleaning cleaning : cleanings) {
            if (!cleaning.due) {
                // Nothing of this protocol differs; only the newest snapshot is kept.
                cleaning.before = snapshot;
            } else if (inForce.contains(cleaning.family)) {
                clean(cleaning, snapshot);
            }
        }
        planRetry();
    }

    private void planRetry() {
        if (cleanings.stream().allMatch(cleaning -> cleaning.missed == null)) {
            failures = 0;
        } else if (!retryPlanned) {
            retryPlanned = true;
            failures++;
            scheduler.schedule(RETRY.after(failures), this::retry);
        }
    }

    private void retry() {
        retryPlanned = false;
        for (Cleaning cleaning : cleanings) {
            if (cleaning.missed != null) {
                clean(cleaning, cleaning.missed);
            }
        }
        planRetry();
    }

    private void clean(Cleaning cleaning, ServiceSnapshot now) {
        long start = System.nanoTime();
        try {
            StaleFlows stale = StaleFlows.of(
                    cleaning.before, now, nodePortHosts(now, cleaning.family), cleaning.protocol, cleaning.family);
            int removed = stale.isNone()
                    ? 0
                    : conntrack.deleteAll(cleaning.family, cleaning.protocol.number(), stale::isStale);
            cleaning.before = now;
            cleaning.due = false;
            cleaning.missed = null;
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (!stale.isNone()) {
                listener.cleaned(cleaning.family, removed, took);
            }
            if (removed > 0) {
                LOG.atInfo()
                        .addKeyValue("family", cleaning.family)
                        .addKeyValue("protocol", cleaning.protocol)
                        .addKeyValue("removed", removed)
                        .addKeyValue("duration_ms", took.toMillis())
                        .log("conntrack.cleaned");
            }
        } catch (LinuxNetException | RuntimeException e) {
            cleaning.missed = now;
            listener.failed(cleaning.family);
            LOG.atWarn()
                    .addKeyValue("family", cleaning.family)
                    .addKeyValue("protocol", cleaning.protocol)
                    .addKeyValue("error", e instanceof LinuxNetException ? e.getMessage() : e)
                    .log("conntrack.clean_failed");
        }
    }

    private Set<IpAddress> nodePortHosts(ServiceSnapshot snapshot, IpFamily family) throws LinuxNetException {
        NodeInfo info = snapshot.nodes().get(node);
        return new HashSet<>(nodePortAddresses.among(namespace.hostAddresses(), family, info));
    }
}
