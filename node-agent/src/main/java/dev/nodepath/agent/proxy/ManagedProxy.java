package dev.nodepath.agent.proxy;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.options.ProxySettings;
import dev.nodepath.agent.process.CloseStack;
import dev.nodepath.agent.process.LimitedClose;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.BypassCleaner;
import dev.nodepath.endpoints.sync.ConntrackCleaner;
import dev.nodepath.endpoints.sync.Scheduler;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.endpoints.sync.ThreadScheduler;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.nftables.NftablesProxy;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** A running proxy: its own loop syncs the snapshots; metrics, health and clean-up listen to the loop. */
public final class ManagedProxy implements AutoCloseable {
    /**
     * The time limit of an ending relay's syncs and handover together. With the time to drain it stays within a pod's
     * default grace period (30 s).
     */
    private static final Duration HANDOVER_LIMIT = Duration.ofSeconds(20);

    private final ProxySettings settings;
    private final ServedFamilies served;
    private final CloseStack closing;
    private final SyncLoop loop;
    private final ProxyReporting status;
    private volatile ServiceSnapshot newest = ServiceSnapshot.EMPTY;

    /**
     * Runs in this process's network namespace.
     *
     * @param served the caller closes it after the proxy
     * @param snapshot the newest snapshot of the watcher
     * @param registry gets the proxy's metrics
     * @param listener told of every sync too
     * @param handedOver called during the close, after the handover and before the relay drains
     */
    static ManagedProxy open(
            ProxySettings settings,
            ServedFamilies served,
            KernelLinuxNet net,
            Supplier<ServiceSnapshot> snapshot,
            PrometheusRegistry registry,
            SyncListener listener,
            Runnable handedOver)
            throws IOException {
        CloseStack closing = new CloseStack();
        try {
            return new ManagedProxy(settings, served, net, snapshot, registry, listener, handedOver, closing);
        } catch (IOException | RuntimeException e) {
            closing.close();
            throw e;
        }
    }

    private ManagedProxy(
            ProxySettings settings,
            ServedFamilies served,
            KernelLinuxNet net,
            Supplier<ServiceSnapshot> snapshot,
            PrometheusRegistry registry,
            SyncListener listener,
            Runnable handedOver,
            CloseStack closing)
            throws IOException {
        this.settings = settings;
        this.served = served;
        this.closing = closing;
        NetworkNamespace namespace = closing.add(net.current());
        ConntrackSettings.apply(namespace, settings.kernel());
        Conntrack conntrack = closing.add(net.conntrack());
        // A socket of its own, because it does not work on the syncing thread.
        Conntrack bypassed = closing.add(net.conntrack());
        PacketCounters counters = closing.add(net.packetCounters());
        SyncListeners listeners = new SyncListeners();
        RunningMode mode = closing.add(mode(net, namespace, counters));
        Map<ProxyMode, OtherModeRemover> removers = removers(mode);
        Scheduler scheduler = new ThreadScheduler("sync", InstantSource.system());
        loop = new SyncLoop(mode.proxy(), settings.policy(), scheduler, new SplittableRandom(), listeners);
        closing.add(handedOver::run);
        CloseStack syncing = new CloseStack();
        if (mode.isRelay()) {
            KernelHandover handover = handover(mode, namespace, counters, removers);
            listeners.add(handover);
            closing.add(new LimitedClose(syncing, HANDOVER_LIMIT));
            syncing.add(() -> end(loop, handover));
        } else {
            closing.add(syncing);
            syncing.add(loop);
        }
        status = syncing.add(new ProxyReporting(settings, snapshot, loop, mode, served, namespace, registry));
        listen(listeners, mode, conntrack, namespace, scheduler);
        listeners.add(bypassCleaner(syncing, mode.proxy(), bypassed));
        removers.values().forEach(listeners::add);
        listeners.add(listener);
    }

    /** A sync that could not be ended uses the same commands. */
    private static void end(SyncLoop loop, KernelHandover handover) {
        loop.close();
        if (!loop.isSyncing()) {
            handover.close();
        }
    }

    /** Requests a sync to this snapshot; returns at once. */
    void offer(ServiceSnapshot snapshot, ChangeSet changed) {
        newest = snapshot;
        loop.offer(snapshot, changed);
    }

    /** The reports of the health and metrics ports. */
    public ProxyReporting status() {
        return status;
    }

    /** Ends the proxy; rules that work without this process stay. */
    @Override
    public void close() {
        closing.close();
    }

    private RunningMode mode(KernelLinuxNet net, NetworkNamespace namespace, PacketCounters counters)
            throws IOException {
        return switch (settings.mode()) {
            case IPTABLES -> new IptablesMode(settings.rules(), served, namespace, counters);
            case NFTABLES -> new NftablesMode(settings.tables(), served, net, namespace);
            case USERSPACE -> new UserspaceMode(settings.node(), settings.relay(), served, this::lastSynced);
        };
    }

    private Optional<Instant> lastSynced() {
        return loop.stats().lastSynced();
    }

    /**
     * The handover to iptables mode. Its rules serve no node ports on 127.0.0.1: these need a kernel setting that would
     * outlive the rules.
     */
    private KernelHandover handover(
            RunningMode relay,
            NetworkNamespace namespace,
            PacketCounters counters,
            Map<ProxyMode, OtherModeRemover> removers) {
        IptablesConfig config = settings.rules().with(draft -> draft.localhostNodePorts = false);
        OtherModeRemover tables = Objects.requireNonNull(removers.get(ProxyMode.NFTABLES));
        return new KernelHandover(
                () -> relay.isTakenOver() || hasNewTable(tables),
                new IptablesProxy(config, List.copyOf(served.iptables()), namespace, Optional.of(counters)),
                served.iptables(),
                () -> newest,
                Objects.requireNonNull(removers.get(ProxyMode.IPTABLES))::isDue);
    }

    /** Whether there is a table of nftables mode that this process did not find at its start. */
    private boolean hasNewTable(OtherModeRemover tables) throws LinuxNetException {
        try (NftTables nft = new KernelLinuxNet().nftTables()) {
            for (IpFamily family : served.families()) {
                if (!tables.isDue(family) && NftablesProxy.hasTable(nft, family)) {
                    return true;
                }
            }
            return false;
        }
    }

    private Map<ProxyMode, OtherModeRemover> removers(RunningMode mode) {
        Map<ProxyMode, OtherModeRemover> removers = new EnumMap<>(ProxyMode.class);
        for (ProxyMode other : settings.mode().others()) {
            removers.put(
                    other,
                    new OtherModeRemover(
                            other,
                            iptables -> other.removeRules(List.of(iptables)),
                            served.iptables(),
                            mode.proxy()::fullSyncs,
                            () -> mode.maySee(other),
                            InstantSource.system()));
        }
        return removers;
    }

    private BypassCleaner bypassCleaner(CloseStack syncing, ServiceProxy proxy, Conntrack conntrack) {
        return syncing.add(new BypassCleaner(
                conntrack,
                served.families(),
                proxy::fullSyncs,
                new ThreadScheduler("bypassed-connections", InstantSource.system()),
                status.bypasses()));
    }

    private void listen(
            SyncListeners listeners,
            RunningMode mode,
            Conntrack conntrack,
            NetworkNamespace namespace,
            Scheduler scheduler) {
        status.listeners().forEach(listeners::add);
        if (!mode.isRelay()) {
            listeners.add(new ConntrackCleaner(
                    conntrack,
                    namespace,
                    settings.node(),
                    settings.common().nodePortAddresses(),
                    served.families(),
                    settings.tcpReset(),
                    status.conntrack(),
                    scheduler));
        }
    }
}
