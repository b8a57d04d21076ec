package dev.nodepath.agent;

import dev.nodepath.agent.health.ProxyHealth;
import dev.nodepath.agent.health.ServiceHealthPorts;
import dev.nodepath.agent.health.StatusPorts;
import dev.nodepath.agent.http.HttpServer;
import dev.nodepath.agent.metrics.ConnectionMetrics;
import dev.nodepath.agent.metrics.ProxyMetrics;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.endpoints.sync.SyncPolicy;
import dev.nodepath.endpoints.sync.ThreadScheduler;
import dev.nodepath.linux.Conntrack;
import dev.nodepath.linux.InterfaceAddress;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.iptables.ConntrackCleaner;
import dev.nodepath.proxy.iptables.DetectLocal;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.RelayConfig;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that works together while a proxy runs: source, loop, proxy, conntrack, health and metrics. */
final class RunningProxy {
    private static final Logger LOG = LoggerFactory.getLogger(RunningProxy.class);
    private static final IpAddress ANY_IPV4 = IpAddress.parse("0.0.0.0");
    private static final IpAddress ANY = IpAddress.parse("::");
    private static final Path IPV6 = Path.of("/proc/self/net/if_inet6");

    private final Settings settings;
    private final List<IptablesCommand> iptables;
    private final List<IpFamily> families;
    private final ServiceSource source;
    private final boolean initOnly;
    private final ProxyHealth health;
    private final ProxyMetrics metrics;
    private final NodeWatch node;
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile int exitCode;
    private volatile @Nullable ServiceSnapshot offered;

    /**
     * What the command line asks for.
     *
     * @param conntrackMax the least limit of tracked flows; 0 for no matter
     * @param configz the configuration in JSON
     */
    record Settings(
            ProxyMode mode,
            String node,
            IptablesConfig rules,
            RelayConfig relay,
            SyncPolicy policy,
            boolean tcpReset,
            long conntrackMax,
            Map<String, String> conntrack,
            Optional<InetSocketAddress> healthz,
            Optional<InetSocketAddress> metrics,
            boolean bindHardFail,
            String configz) {}

    /** Starts nothing. */
    RunningProxy(Settings settings, List<IptablesCommand> iptables, ServiceSource source, boolean initOnly) {
        this.settings = settings;
        this.iptables = iptables;
        this.families = iptables.stream().map(Iptables::family).toList();
        this.source = source;
        this.initOnly = initOnly;
        Duration period =
                settings.policy().syncPeriod().orElse(settings.policy().retryMax());
        this.health = new ProxyHealth(Clock.systemUTC(), period.multipliedBy(2), families);
        this.metrics = new ProxyMetrics(Clock.systemUTC(), families, settings.node());
        this.node = new NodeWatch(settings.node(), settings.rules().detectLocal() instanceof DetectLocal.NodeCidr);
    }

    /** Runs until a signal, or a change that needs a new beginning; the process's exit code. */
    int run() throws IOException, SourceException, InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        KernelLinuxNet net = new KernelLinuxNet();
        try (NetworkNamespace namespace = net.current()) {
            ConntrackSettings.apply(namespace, settings.conntrackMax(), settings.conntrack());
            if (initOnly) {
                return 0;
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(stopped), "stop"));
            try (HttpServer server = new HttpServer();
                    StatusPorts ports = new StatusPorts(server);
                    Conntrack conntrack = net.conntrack();
                    ServiceHealthPorts healthPorts = new ServiceHealthPorts(
                            server, health, settings.node(), snapshot -> healthAddresses(namespace, snapshot));
                    ServiceProxy proxy = proxy(namespace);
                    SyncLoop loop = new SyncLoop(
                            proxy,
                            settings.policy(),
                            new ThreadScheduler("sync", Clock.systemUTC()),
                            new SplittableRandom(),
                            new SyncListeners(listeners(proxy, namespace, conntrack, healthPorts)));
                    source) {
                serve(ports);
                source.start((snapshot, changed) -> offer(loop, snapshot, changed));
                LOG.atInfo()
                        .addKeyValue("mode", settings.mode())
                        .addKeyValue("node", settings.node())
                        .log("proxy.started");
                stop.await();
            }
            return exitCode;
        } finally {
            stopped.countDown();
        }
    }

    private ServiceProxy proxy(NetworkNamespace namespace) {
        return settings.mode() == ProxyMode.USERSPACE
                ? new UserspaceProxy(settings.node(), settings.relay(), List.copyOf(iptables))
                : new IptablesProxy(settings.rules(), List.copyOf(iptables), namespace);
    }

    private List<SyncListener> listeners(
            ServiceProxy proxy, NetworkNamespace namespace, Conntrack conntrack, ServiceHealthPorts healthPorts) {
        List<SyncListener> listeners = new ArrayList<>();
        listeners.add(metrics);
        listeners.add(new SyncListener() {
            @Override
            public void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration) {
                health.updated();
                if (!snapshot.equals(offered)) {
                    health.queued();
                }
            }
        });
        if (settings.mode() == ProxyMode.IPTABLES) {
            listeners.add(new ConntrackCleaner(conntrack, namespace, settings.rules(), settings.tcpReset(), metrics));
            listeners.add(healthPorts);
        }
        listeners.add(new OtherModeRemover(
                settings.mode().other(),
                iptables,
                () -> !(proxy instanceof IptablesProxy rules) || rules.maySee(UserspaceProxy.CHAINS)));
        return listeners;
    }

    private void offer(SyncLoop loop, ServiceSnapshot snapshot, ChangeSet changed) {
        offered = snapshot;
        health.queued();
        metrics.queued(snapshot, changed);
        loop.offer(snapshot, changed);
        if (source instanceof KubernetesSource) {
            node.reasonToEnd(snapshot).ifPresent(reason -> {
                LOG.atError()
                        .addKeyValue("node", settings.node())
                        .addKeyValue("reason", reason)
                        .log("node.changed");
                exitCode = Nodepath.FAILED;
                stop.countDown();
            });
        }
    }

    private void serve(StatusPorts ports) throws IOException {
        metrics.counter(
                "nodepath_source_skipped_objects_total",
                "Objects, and entries of objects, that could not be used",
                () -> source.stats().skippedCount());
        ConnectionMetrics connections = settings.mode() == ProxyMode.USERSPACE
                ? null
                : new ConnectionMetrics(
                        source::snapshot,
                        families,
                        family -> iptables.get(families.indexOf(family)).saveWithCounters(Table.NAT),
                        System::nanoTime);
        if (settings.healthz().isPresent()) {
            ports.serve(
                    "healthz", settings.healthz().get(), StatusPages.health(health, metrics), settings.bindHardFail());
        }
        if (settings.metrics().isPresent()) {
            ports.serve(
                    "metrics",
                    settings.metrics().get(),
                    StatusPages.metrics(settings.mode(), metrics, connections, settings.configz()),
                    settings.bindHardFail());
        }
    }

    private List<IpAddress> healthAddresses(NetworkNamespace namespace, ServiceSnapshot snapshot) throws IOException {
        List<IpAddress> host = namespace.addresses().stream()
                .map(InterfaceAddress::address)
                .map(cidr -> cidr.address())
                .toList();
        List<IpAddress> chosen = settings.rules()
                .nodePortAddresses()
                .among(host, snapshot.nodes().get(settings.node()));
        return chosen.isEmpty() ? List.of(Files.exists(IPV6) ? ANY : ANY_IPV4) : chosen;
    }

    /** On a signal: lets the proxy end in order, and holds the process until it has. */
    private void end(CountDownLatch stopped) {
        stop.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
