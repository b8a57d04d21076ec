package dev.nodepath.agent.proxy;

import dev.nodepath.agent.cluster.ClusterView;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxySettings;
import dev.nodepath.agent.options.VariantOption;
import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.agent.process.Capability;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceCidr;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SnapshotListener;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.KernelLinuxNet;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxy as a part of an agent: it opens when kernel and commands are ready, and gets the changes that concern this
 * node.
 */
public final class ProxyPart implements Part {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyPart.class);

    /** The interval of checks whether the proxy can go on. */
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

    private final ProxySettings settings;
    private final VariantOption iptables;
    private final KernelLinuxNet net;
    private final ClusterView cluster;
    private final Prerequisite prerequisite;
    private final SyncListener listener;
    private final Runnable handedOver;
    private volatile Optional<Opened> opened = Optional.empty();

    /** A condition that the proxy awaits before it serves. */
    @FunctionalInterface
    public interface Prerequisite {
        /** Returns when the proxy may serve, or when it is to stop. */
        void await(Running running) throws InterruptedException;
    }

    /**
     * A proxy at work.
     *
     * @param metrics of this proxy only; a proxy that is opened again starts with new metrics
     */
    public record Opened(ManagedProxy proxy, PrometheusRegistry metrics) {}

    /**
     * A part without a proxy yet.
     *
     * @param listener told of every sync
     * @param handedOver called during each close of a proxy, after the handover and before its relay drains
     */
    public ProxyPart(
            ProxySettings settings,
            VariantOption iptables,
            KernelLinuxNet net,
            ClusterView cluster,
            Prerequisite prerequisite,
            SyncListener listener,
            Runnable handedOver) {
        this.prerequisite = prerequisite;
        this.listener = listener;
        this.handedOver = handedOver;
        this.settings = settings;
        this.iptables = iptables;
        this.net = net;
        this.cluster = cluster;
    }

    @Override
    public String name() {
        return "proxy";
    }

    /** The running proxy; empty without one. */
    public Optional<Opened> opened() {
        return opened;
    }

    @Override
    public void run(Running running) throws CommandException, IOException, InterruptedException {
        Capability.requireNetAdmin();
        prerequisite.await(running);
        PrometheusRegistry metrics = new PrometheusRegistry();
        ProxyReadiness progress = new ProxyReadiness(running);
        running.waiting("no sync yet");
        SyncListeners told = new SyncListeners();
        told.add(progress);
        told.add(listener);
        try (ServedFamilies served = ServedFamilies.open(settings.mode(), iptables, net);
                ManagedProxy proxy =
                        ManagedProxy.open(settings, served, net, cluster::snapshot, metrics, told, handedOver)) {
            opened = Optional.of(new Opened(proxy, metrics));
            Runnable unsubscribe = cluster.subscribe(new OwnChanges(proxy));
            try {
                LOG.atInfo()
                        .addKeyValue("mode", settings.mode())
                        .addKeyValue("node", settings.node())
                        .log("proxy.started");
                awaitEnd(running, progress);
            } finally {
                unsubscribe.run();
            }
        } finally {
            opened = Optional.empty();
        }
    }

    /** A broken proxy ends this run, and the next run opens a new one. */
    private static void awaitEnd(Running running, ProxyReadiness progress) throws IOException, InterruptedException {
        while (!running.awaitStop(LOOK_INTERVAL)) {
            if (progress.isBroken()) {
                throw new IOException("a relay has failed (expected: relays run until this part stops)");
            }
        }
    }

    /** Other Nodes affect no rule. A change of this node's Node or of a ServiceCIDR needs a full sync. */
    private final class OwnChanges implements SnapshotListener {
        private final ManagedProxy proxy;
        private @Nullable NodeInfo known;
        private SortedMap<String, ServiceCidr> knownRanges = new TreeMap<>();

        OwnChanges(ManagedProxy proxy) {
            this.proxy = proxy;
        }

        @Override
        public void changed(ServiceSnapshot snapshot, ChangeSet changed) {
            NodeInfo now = snapshot.nodes().get(settings.node());
            boolean own = changed.nodes()
                    && (!Objects.equals(now, known) || !snapshot.serviceCidrs().equals(knownRanges));
            known = now;
            knownRanges = snapshot.serviceCidrs();
            proxy.offer(
                    snapshot,
                    new ChangeSet(
                            changed.servicePorts(),
                            own,
                            changed.triggers(),
                            changed.serviceChanges(),
                            changed.endpointChanges()));
        }
    }
}
