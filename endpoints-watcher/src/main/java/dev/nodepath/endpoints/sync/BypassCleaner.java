package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.BypassedConnections;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.FlowFilter;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes tracked flows that bypass the rules of a Service, see {@link BypassedConnections}. The client's next packet
 * then passes the rules again. After each sync it looks for flows to new cluster IPs and ports; after a full sync, for
 * flows to any Service.
 *
 * <p>It runs on its own thread, so that no sync waits for it. A failure is logged and counted. The first retry comes
 * as {@link #RETRY} says.
 */
public final class BypassCleaner implements SyncListener, AutoCloseable {
    static final BackOff RETRY = new BackOff(Duration.ofMillis(500), Duration.ofSeconds(30));

    private static final Logger LOG = LoggerFactory.getLogger(BypassCleaner.class);

    private final Conntrack conntrack;
    private final ToLongFunction<IpFamily> fullSyncs;
    private final Scheduler scheduler;
    private final Listener listener;
    private final List<InForce> families = new ArrayList<>();

    /* All that follows is guarded by this. */
    private final Map<IpFamily, BypassedConnections> waiting = new EnumMap<>(IpFamily.class);
    private int failures;
    private Runnable cancelLook = () -> {};

    /** Gets the result of each run, on the cleaner's thread. */
    public interface Listener {
        /** A run has deleted this many flows. */
        default void cleaned(IpFamily family, int removed, Duration took) {}

        /** A run has failed. The cleaner tries again. */
        default void failed(IpFamily family) {}
    }

    /** The state of one family in force. Only the syncing thread uses it. */
    private static final class InForce {
        private final IpFamily family;
        private final Set<ServicePortName> changed = new HashSet<>();
        private ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;
        private long fullSyncs;

        InForce(IpFamily family) {
            this.family = family;
        }
    }

    /**
     * Makes a cleaner. It runs after the first sync.
     *
     * @param conntrack of the network namespace of the rules; no one else may use it, because a run keeps it busy
     * @param families the families that the proxy serves
     * @param fullSyncs see {@link dev.nodepath.endpoints.ServiceProxy#fullSyncs}
     * @param scheduler runs the cleaner; it is closed with the cleaner
     */
    public BypassCleaner(
            Conntrack conntrack,
            Collection<IpFamily> families,
            ToLongFunction<IpFamily> fullSyncs,
            Scheduler scheduler,
            Listener listener) {
        this.conntrack = conntrack;
        this.fullSyncs = fullSyncs;
        this.scheduler = scheduler;
        this.listener = listener;
        families.forEach(family -> this.families.add(new InForce(family)));
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        for (InForce known : families) {
            known.changed.addAll(changed.servicePorts());
            if (inForce.contains(known.family)) {
                want(known.family, added(known, snapshot));
                known.changed.clear();
                known.snapshot = snapshot;
            }
        }
    }

    private BypassedConnections added(InForce known, ServiceSnapshot now) {
        long full = fullSyncs.applyAsLong(known.family);
        boolean all = full != known.fullSyncs;
        known.fullSyncs = full;
        return all
                ? BypassedConnections.of(now, known.family)
                : BypassedConnections.of(known.snapshot, now, known.family, known.changed);
    }

    private synchronized void want(IpFamily family, BypassedConnections bypassed) {
        if (!bypassed.isNone()) {
            waiting.merge(family, bypassed, BypassedConnections::and);
            lookIn(Duration.ZERO);
        }
    }

    private void lookIn(Duration delay) {
        cancelLook.run();
        cancelLook = scheduler.schedule(delay, this::look);
    }

    private void look() {
        Map<IpFamily, BypassedConnections> wanted = new EnumMap<>(IpFamily.class);
        synchronized (this) {
            wanted.putAll(waiting);
            waiting.clear();
        }
        wanted.entrySet().removeIf(entry -> clean(entry.getKey(), entry.getValue()));
        synchronized (this) {
            if (wanted.isEmpty()) {
                failures = 0;
                return;
            }
            boolean alone = waiting.isEmpty();
            wanted.forEach((family, missed) -> waiting.merge(family, missed, BypassedConnections::and));
            if (alone) {
                failures++;
                lookIn(RETRY.after(failures));
            }
        }
    }

    private boolean clean(IpFamily family, BypassedConnections bypassed) {
        long start = System.nanoTime();
        try {
            int removed = conntrack.deleteAll(filter(family, bypassed.addresses()), bypassed::has);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (removed > 0) {
                LOG.atInfo()
                        .addKeyValue("family", family)
                        .addKeyValue("protocol", Protocol.TCP)
                        .addKeyValue("removed", removed)
                        .addKeyValue("duration_ms", took.toMillis())
                        .log("conntrack.cleaned");
            }
            listener.cleaned(family, removed, took);
            return true;
        } catch (LinuxNetException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("protocol", Protocol.TCP)
                    .addKeyValue("error", e instanceof LinuxNetException ? e.getMessage() : e)
                    .log("conntrack.clean_failed");
            listener.failed(family);
            return false;
        }
    }

    /** The kernel goes over its whole table for each list, and few flows have no answer. So several share one. */
    private static FlowFilter filter(IpFamily family, Set<IpAddress> addresses) {
        FlowFilter all = FlowFilter.of(family, Protocol.TCP.number()).unanswered();
        return addresses.size() == 1 ? all.to(addresses.iterator().next()) : all;
    }

    /** Waits for a run in progress. */
    @Override
    public void close() {
        scheduler.close();
    }
}
