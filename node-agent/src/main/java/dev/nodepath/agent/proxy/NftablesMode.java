package dev.nodepath.agent.proxy;

import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.SyncDurations;
import dev.nodepath.agent.metrics.TableMetrics;
import dev.nodepath.agent.process.CloseStack;
import dev.nodepath.agent.process.KernelVersion;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.proxy.nftables.NftablesConfig;
import dev.nodepath.proxy.nftables.NftablesProxy;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** nftables mode. */
final class NftablesMode implements RunningMode {
    private final CloseStack closing = new CloseStack();
    private final ServedFamilies served;
    private final NftablesProxy proxy;
    /** Over a socket of its own, because it does not work on the syncing thread. Empty unless the rules count. */
    private final Optional<NftTables> counted;

    NftablesMode(NftablesConfig config, ServedFamilies served, KernelLinuxNet net, NetworkNamespace namespace)
            throws IOException {
        KernelVersion kernel = KernelVersion.ofThis();
        kernel.requireNftables("--mode nftables", "--mode iptables");
        this.served = served;
        try {
            this.proxy = new NftablesProxy(
                    config,
                    served.families(),
                    closing.add(net.nftTables()),
                    kernel.removesChainsAtOnce(),
                    namespace::hostAddresses);
            this.counted = config.countsConnections() ? Optional.of(closing.add(net.nftTables())) : Optional.empty();
        } catch (IOException | RuntimeException e) {
            closing.close();
            throw e;
        }
    }

    @Override
    public ServiceProxy proxy() {
        return proxy;
    }

    @Override
    public Optional<SyncDurations> register(PrometheusRegistry registry) {
        return Optional.of(new TableMetrics(registry, served.families(), proxy::stats).durations());
    }

    @Override
    public Optional<Instant> lastSync(IpFamily family) {
        return proxy.stats(family).lastSync();
    }

    @Override
    public Optional<ConnectionMetrics.Counters> connections() {
        return counted.map(nft -> (cluster, family) -> NftablesProxy.connections(nft, cluster, family));
    }

    @Override
    public void close() {
        proxy.close();
        closing.close();
    }
}
