package dev.nodepath.agent;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.BypassCleaner;
import dev.nodepath.endpoints.sync.Scheduler;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.endpoints.sync.ThreadScheduler;
import dev.nodepath.linux.Conntrack;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.PacketCounters;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.proxy.iptables.ConntrackCleaner;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** A proxy at work: what it is told is synced by a loop of its own, to which its metrics, health and clean-up listen. */
final class NodeProxy implements AutoCloseable {
    private final ProxySettings settings;
    private final List<IptablesCommand> iptables;
    private final Closing closing;
    private final SyncLoop loop;
    private final ProxyStatus status;

    /**
     * Works in the namespace that this process is in.
     *
     * @param snapshot what the watcher said last
     * @param registry where its metrics are to be
     * @param listener told of every sync too
     */
    static NodeProxy open(
            ProxySettings settings,
            List<IptablesCommand> iptables,
            KernelLinuxNet net,
            Supplier<ServiceSnapshot> snapshot,
            PrometheusRegistry registry,
            SyncListener listener)
            throws IOException {
        Closing closing = new Closing();
        try {
            return new NodeProxy(settings, iptables, net, snapshot, registry, listener, closing);
        } catch (IOException | RuntimeException e) {
            closing.close();
            throw e;
        }
    }

    private NodeProxy(
            ProxySettings settings,
            List<IptablesCommand> iptables,
            KernelLinuxNet net,
            Supplier<ServiceSnapshot> snapshot,
            PrometheusRegistry registry,
            SyncListener listener,
            Closing closing)
            throws IOException {
        this.settings = settings;
        this.iptables = iptables;
        this.closing = closing;
        NetworkNamespace namespace = closing.add(net.current());
        ConntrackSettings.apply(namespace, settings.conntrackMax(), settings.conntrack());
        Conntrack conntrack = closing.add(net.conntrack());
        // A socket of its own, as it does not work on the syncing thread.
        Conntrack bypassed = closing.add(net.conntrack());
        PacketCounters counters = closing.add(net.packetCounters());
        SyncListeners listeners = new SyncListeners();
        ServiceProxy proxy = proxy(namespace, counters, listeners);
        Scheduler scheduler = new ThreadScheduler("sync", Clock.systemUTC());
        loop = closing.add(new SyncLoop(proxy, settings.policy(), scheduler, new SplittableRandom(), listeners));
        status = closing.add(new ProxyStatus(settings, snapshot, loop, proxy, iptables, namespace, registry));
        listen(listeners, proxy, conntrack, bypassed, namespace, scheduler);
        listeners.add(listener);
    }

    /** Asks for this snapshot; returns at once. */
    void offer(ServiceSnapshot snapshot, ChangeSet changed) {
        loop.offer(snapshot, changed);
    }

    ProxyStatus status() {
        return status;
    }

    /** Ends the work and leaves in place what carries traffic without this process. */
    @Override
    public void close() {
        closing.close();
    }

    /** The mode's proxy; closed when the loop is, by which a relay leaves its Services to rules first. */
    private ServiceProxy proxy(NetworkNamespace namespace, PacketCounters counters, SyncListeners listeners) {
        IptablesProxy rules =
                new IptablesProxy(settings.rules(), List.copyOf(iptables), namespace, Optional.of(counters));
        if (settings.mode() == ProxyMode.IPTABLES) {
            return closing.add(rules);
        }
        UserspaceProxy relay =
                closing.add(new UserspaceProxy(settings.node(), settings.relay(), List.copyOf(iptables)));
        listeners.add(closing.add(new KernelHandover(relay, rules, iptables)));
        return relay;
    }

    private void listen(
            SyncListeners listeners,
            ServiceProxy proxy,
            Conntrack conntrack,
            Conntrack bypassed,
            NetworkNamespace namespace,
            Scheduler scheduler) {
        status.listeners().forEach(listeners::add);
        if (settings.mode() == ProxyMode.IPTABLES) {
            List<IpFamily> families = iptables.stream().map(Iptables::family).toList();
            listeners.add(new ConntrackCleaner(
                    conntrack,
                    namespace,
                    settings.rules(),
                    families,
                    settings.tcpReset(),
                    status.conntrack(),
                    scheduler));
        }
        listeners.add(closing.add(new BypassCleaner(
                bypassed,
                iptables.stream().map(Iptables::family).toList(),
                proxy::fullSyncs,
                new ThreadScheduler("bypassed-connections", Clock.systemUTC()),
                status.bypasses())));
        listeners.add(new OtherModeRemover(
                settings.mode().other(),
                iptables,
                () -> !(proxy instanceof IptablesProxy rules) || rules.maySee(UserspaceProxy.CHAINS)));
    }
}
