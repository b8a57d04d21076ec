package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.BypassedConnections;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.Scheduler;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.Conntrack;
import dev.nodepath.linux.ConntrackFlow;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes tracked flows that go where the rules would not lead them any more, after each sync of their family that changed
 * a Service of their protocol and after the first, for UDP always and for TCP if it is told to. The next packet of such a
 * flow asks the rules again; of a TCP flow the endpoint that they choose knows nothing, and resets it. TCP connections that
 * were begun before their Service's rules are removed always: the next try of their first packet finds the Service.
 *
 * <p>It never fails a sync: what went wrong is logged, counted, and tried again half a second later, then after waits that
 * double, and after each sync.
 */
public final class ConntrackCleaner implements SyncListener {
    static final Duration RETRY_MIN = Duration.ofMillis(500);
    static final Duration RETRY_MAX = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(ConntrackCleaner.class);

    private final Conntrack conntrack;
    private final NetworkNamespace namespace;
    private final IptablesConfig config;
    private final List<Cleaning> cleanings;
    private final ConntrackCleanerListener listener;
    private final Scheduler scheduler;
    private Duration retryIn = RETRY_MIN;
    private boolean retryPlanned;

    /** What is known about the flows of one protocol and family. */
    private static final class Cleaning {
        private final Protocol protocol;
        private final IpFamily family;

        /** Whether flows to endpoints that have gone are removed. */
        private final boolean removes;

        private ServiceSnapshot before = ServiceSnapshot.EMPTY;
        private boolean due = true;

        /** What was in force when it failed; null if it did not. */
        private @Nullable ServiceSnapshot missed;

        Cleaning(Protocol protocol, IpFamily family, boolean removes) {
            this.protocol = protocol;
            this.family = family;
            this.removes = removes;
        }

        /** Endpoints come and go often; where only what bypassed a Service is looked for, they do not matter. */
        boolean concerns(ServicePortName changed, ServiceSnapshot now) {
            return changed.protocol() == protocol
                    && (removes
                            || !Objects.equals(
                                    before.services().get(changed),
                                    now.services().get(changed)));
        }

        /** What is stale once a snapshot is in force; empty if nothing can be. */
        Optional<Predicate<ConntrackFlow>> stale(ServiceSnapshot now, Set<IpAddress> nodePortHosts) {
            List<Predicate<ConntrackFlow>> kinds = new ArrayList<>();
            if (removes) {
                StaleFlows left = StaleFlows.of(before, now, nodePortHosts, protocol, family);
                if (!left.isNone()) {
                    kinds.add(left::isStale);
                }
            }
            if (protocol == Protocol.TCP) {
                BypassedConnections bypassed = BypassedConnections.of(before, now, family);
                if (!bypassed.isNone()) {
                    kinds.add(bypassed::has);
                }
            }
            return kinds.stream().reduce(Predicate::or);
        }
    }

    /**
     * A cleaner that has not looked yet.
     *
     * @param conntrack of the namespace that the rules are in
     * @param namespace the same, whose addresses serve node ports
     * @param config which addresses do
     * @param families those that are served
     * @param tcp whether TCP connections to endpoints that have gone are reset
     * @param scheduler of the loop that it listens to: everything happens on its thread
     */
    public ConntrackCleaner(
            Conntrack conntrack,
            NetworkNamespace namespace,
            IptablesConfig config,
            Collection<IpFamily> families,
            boolean tcp,
            ConntrackCleanerListener listener,
            Scheduler scheduler) {
        this.conntrack = conntrack;
        this.namespace = namespace;
        this.config = config;
        this.listener = listener;
        this.scheduler = scheduler;
        List<Cleaning> all = new ArrayList<>();
        for (IpFamily family : families) {
            all.add(new Cleaning(Protocol.UDP, family, true));
            all.add(new Cleaning(Protocol.TCP, family, tcp));
        }
        this.cleanings = List.copyOf(all);
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        for (Cleaning cleaning : cleanings) {
            cleaning.due |= changed.servicePorts().stream().anyMatch(name -> cleaning.concerns(name, snapshot));
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
            retryIn = RETRY_MIN;
        } else if (!retryPlanned) {
            retryPlanned = true;
            Runnable unused = scheduler.schedule(retryIn, this::retry);
            retryIn = retryIn.multipliedBy(2).compareTo(RETRY_MAX) < 0 ? retryIn.multipliedBy(2) : RETRY_MAX;
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
            Optional<Predicate<ConntrackFlow>> stale =
                    cleaning.stale(now, cleaning.removes ? nodePortHosts(now, cleaning.family) : Set.of());
            int removed =
                    stale.isEmpty() ? 0 : conntrack.deleteAll(cleaning.family, cleaning.protocol.number(), stale.get());
            cleaning.before = now;
            cleaning.due = false;
            cleaning.missed = null;
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (stale.isPresent()) {
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
        NodeInfo node = snapshot.nodes().get(config.nodeName());
        return new HashSet<>(config.nodePortAddresses().among(namespace.hostAddresses(), family, node));
    }
}
