package dev.nodepath.agent.proxy;

import dev.nodepath.agent.metrics.SyncDurations;
import dev.nodepath.agent.metrics.UserspaceMetrics;
import dev.nodepath.agent.process.KernelVersion;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Userspace mode. */
final class UserspaceMode implements RunningMode {
    private final UserspaceProxy proxy;
    private final Supplier<Optional<Instant>> lastSync;

    /** Runs with this configuration, if the kernel takes the table of portals. */
    UserspaceMode(String node, RelayConfig config, ServedFamilies served, Supplier<Optional<Instant>> lastSync)
            throws IOException {
        KernelVersion.ofThis().requireNftables("--mode userspace", "--mode iptables");
        this.proxy = new UserspaceProxy(node, config, List.copyOf(served.iptables()));
        this.lastSync = lastSync;
        proxy.checkKernel();
    }

    @Override
    public ServiceProxy proxy() {
        return proxy;
    }

    @Override
    public Optional<SyncDurations> register(PrometheusRegistry registry) {
        UserspaceMetrics.register(registry, proxy.metrics(), proxy::services);
        return Optional.empty();
    }

    /** The relay has no counters of its own syncs. */
    @Override
    public Optional<Instant> lastSync(IpFamily family) {
        return lastSync.get();
    }

    @Override
    public boolean isRelay() {
        return true;
    }

    @Override
    public boolean isTakenOver() throws IOException {
        return proxy.isTakenOver();
    }

    @Override
    public void close() {
        proxy.close();
    }
}
