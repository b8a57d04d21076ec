package dev.nodepath.agent.proxy;

import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.RuleMetrics;
import dev.nodepath.agent.metrics.SyncDurations;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.proxy.iptables.ConnectionListing;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** iptables mode. */
final class IptablesMode implements RunningMode {
    private final ServedFamilies served;
    private final IptablesProxy proxy;
    /** The listing does not work on the syncing thread. */
    private final List<IptablesCommand> counting;

    IptablesMode(IptablesConfig config, ServedFamilies served, NetworkNamespace namespace, PacketCounters counters) {
        this.served = served;
        this.proxy = new IptablesProxy(config, List.copyOf(served.iptables()), namespace, Optional.of(counters));
        this.counting = served.iptables().stream()
                .map(IptablesCommand::forAnotherThread)
                .toList();
    }

    @Override
    public ServiceProxy proxy() {
        return proxy;
    }

    @Override
    public Optional<SyncDurations> register(PrometheusRegistry registry) {
        return Optional.of(new RuleMetrics(registry, served.families(), proxy::stats, proxy::packets).durations());
    }

    @Override
    public Optional<Instant> lastSync(IpFamily family) {
        return proxy.stats(family).lastSync();
    }

    @Override
    public Optional<ConnectionMetrics.Counters> connections() {
        return Optional.of((cluster, family) -> ConnectionListing.read(
                cluster, family, counting.get(served.families().indexOf(family)).saveWithCounters(Table.NAT)));
    }

    /** A listing of the own rules shows the portals too. */
    @Override
    public boolean maySee(ProxyMode other) {
        return other != ProxyMode.USERSPACE || proxy.maySee(UserspaceProxy.CHAINS);
    }

    @Override
    public void close() {
        proxy.close();
    }
}
