package dev.nodepath.agent.proxy;

import dev.nodepath.agent.metrics.ProcessMetrics;
import dev.nodepath.agent.metrics.SourceMetrics;
import dev.nodepath.agent.options.ProxySettings;
import dev.nodepath.agent.options.VariantOption;
import dev.nodepath.agent.process.NodepathVersion;
import dev.nodepath.agent.process.ProcessEnd;
import dev.nodepath.agent.process.ServerPages;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process that is a proxy and nothing else: source, proxy and ports. */
public final class StandaloneProxy {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneProxy.class);

    /** The pause between attempts to start. Each attempt waits for the lock too. */
    private static final Duration START_RETRY = Duration.ofSeconds(1);

    private final ProxySettings settings;
    private final VariantOption variant;
    private final ServiceSource source;
    private final PrometheusRegistry registry;
    private final ServerPages pages;
    private final boolean initOnly;
    private final NodeRestartWatch node;
    private final ProcessEnd end = new ProcessEnd();

    /**
     * A proxy that is yet to start.
     *
     * @param variant which iptables programs run
     * @param registry gets the proxy's metrics
     * @param initOnly whether to write the kernel's settings and end
     */
    public StandaloneProxy(
            ProxySettings settings,
            VariantOption variant,
            ServiceSource source,
            PrometheusRegistry registry,
            ServerPages pages,
            boolean initOnly) {
        this.settings = settings;
        this.variant = variant;
        this.source = source;
        this.registry = registry;
        this.pages = pages;
        this.initOnly = initOnly;
        this.node =
                new NodeRestartWatch(settings.node(), settings.common().detectLocal() instanceof DetectLocal.NodeCidr);
    }

    /** Runs until a signal or a change that needs a restart; returns the process's exit code. */
    public int run() throws IOException, SourceException, InterruptedException {
        KernelLinuxNet net = new KernelLinuxNet();
        if (initOnly) {
            try (NetworkNamespace namespace = net.current()) {
                ConntrackSettings.apply(namespace, settings.kernel());
            }
            return 0;
        }
        end.onSignal();
        SourceMetrics.register(registry, source::stats);
        ProcessMetrics.register(registry, NodepathVersion.version());
        try (ServedFamilies served = families(net);
                ManagedProxy proxy = ManagedProxy.open(
                        settings, served, net, source::snapshot, registry, SyncListener.NONE, () -> {});
                ProcessPorts ports = new ProcessPorts(settings);
                source) {
            ports.serve(proxy.status().healthPage(), pages.before(proxy.status().metricsPage(registry::scrape)));
            source.start((snapshot, changed) -> offer(proxy, snapshot, changed));
            LOG.atInfo()
                    .addKeyValue("mode", settings.mode())
                    .addKeyValue("node", settings.node())
                    .log("proxy.started");
            end.await();
            return end.exitCode();
        } finally {
            end.ended();
        }
    }

    /**
     * A start waits for the xtables lock as a running proxy does: for as long as another program holds it, or until a
     * signal.
     */
    private ServedFamilies families(KernelLinuxNet net) throws IOException, InterruptedException {
        while (true) {
            try {
                return ServedFamilies.open(settings.mode(), variant, net);
            } catch (IptablesException e) {
                if (!e.isTemporary()) {
                    throw e;
                }
                LOG.atWarn()
                        .addKeyValue("error", e.getMessage())
                        .addKeyValue("retry_ms", START_RETRY.toMillis())
                        .log("proxy.start_failed");
                if (end.await(START_RETRY)) {
                    throw e;
                }
            }
        }
    }

    private void offer(ManagedProxy proxy, ServiceSnapshot snapshot, ChangeSet changed) {
        proxy.offer(snapshot, changed);
        if (source instanceof KubernetesSource) {
            node.reasonToEnd(snapshot).ifPresent(reason -> end.restart(settings.node(), reason));
        }
    }
}
