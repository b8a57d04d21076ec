package dev.nodepath.agent.daemon;

import dev.nodepath.agent.cluster.ClusterView;
import dev.nodepath.agent.cluster.ConditionPart;
import dev.nodepath.agent.cluster.EventPart;
import dev.nodepath.agent.cluster.ForwardPart;
import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.cluster.PolicyNotice;
import dev.nodepath.agent.cluster.RoutesPart;
import dev.nodepath.agent.cluster.SourcePart;
import dev.nodepath.agent.install.BridgeNetfilterModule;
import dev.nodepath.agent.install.Conflist;
import dev.nodepath.agent.install.NetworkPart;
import dev.nodepath.agent.install.PluginFiles;
import dev.nodepath.agent.install.PluginInstallation;
import dev.nodepath.agent.install.PolicyMark;
import dev.nodepath.agent.metrics.AgentMetrics;
import dev.nodepath.agent.metrics.ApiMetrics;
import dev.nodepath.agent.metrics.CniMetrics;
import dev.nodepath.agent.metrics.PolicyMetrics;
import dev.nodepath.agent.metrics.ProcessMetrics;
import dev.nodepath.agent.metrics.RouteMetrics;
import dev.nodepath.agent.metrics.SourceMetrics;
import dev.nodepath.agent.options.AgentSettings;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.options.SourceOptions;
import dev.nodepath.agent.options.VariantOption;
import dev.nodepath.agent.parts.Parts;
import dev.nodepath.agent.process.NodepathVersion;
import dev.nodepath.agent.process.ProcessEnd;
import dev.nodepath.agent.process.ServerPages;
import dev.nodepath.agent.proxy.NodeRestartWatch;
import dev.nodepath.agent.proxy.ProcessPorts;
import dev.nodepath.agent.proxy.ProxyPart;
import dev.nodepath.agent.proxy.SyncLines;
import dev.nodepath.agent.routes.RouteSettings;
import dev.nodepath.cni.AddressGate;
import dev.nodepath.cni.CheckedSources;
import dev.nodepath.cni.OutdatedGateways;
import dev.nodepath.cni.SourceTable;
import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.kubernetes.NodeReport;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.io.OutputPipe;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.link.BridgeNetfilter;
import dev.nodepath.linux.time.WaitClock;
import dev.nodepath.policy.PolicyNode;
import dev.nodepath.policy.PolicyObjects;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process on a node: its parts, which fail and restart independently, and its ports. */
public final class NodeAgent {
    private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);

    private final AgentSettings settings;
    private final SourceOptions sources;
    private final VariantOption iptables;
    private final ServerPages server;
    private final InstantSource clock = InstantSource.system();
    private final KernelLinuxNet net = new KernelLinuxNet();
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final ApiMetrics apiMetrics = new ApiMetrics(registry);
    private final ClusterView cluster;
    private final Notices notices;
    private final NodeRestartWatch node;
    private final PolicyGate gate;
    private final Optional<PolicyObjects> policies;
    private final boolean relays;
    private final Optional<ProxyPart> proxy;
    private final ProcessEnd end = new ProcessEnd();
    private volatile Optional<FileLock> lock = Optional.empty();

    /** An agent that is yet to start. */
    public NodeAgent(AgentSettings settings, SourceOptions sources, VariantOption iptables, ServerPages server) {
        this.settings = settings;
        this.sources = sources;
        this.iptables = iptables;
        this.server = server;
        String name = settings.proxy().node();
        cluster = new ClusterView(name);
        notices = new Notices(name, clock);
        node = new NodeRestartWatch(name, settings.proxy().common().detectLocal() instanceof DetectLocal.NodeCidr);
        gate = new PolicyGate(name);
        RelayConfig relay = settings.proxy().relay().with(draft -> draft.policy = gate);
        policies =
                settings.networkPolicy() && sources.isApiServer() ? Optional.of(new PolicyObjects()) : Optional.empty();
        relays = settings.runsProxy() && settings.proxy().mode() == ProxyMode.USERSPACE;
        ProxyPart.Prerequisite known =
                policies.isPresent() && relays ? running -> gate.await(running, settings.policyWait()) : running -> {};
        proxy = settings.runsProxy()
                ? Optional.of(new ProxyPart(
                        settings.proxy().withRelay(relay),
                        iptables,
                        net,
                        cluster,
                        known,
                        syncLines(),
                        this::handedOver))
                : Optional.empty();
    }

    /** Standard output, which nothing else of an agent writes to. */
    private SyncListener syncLines() {
        return settings.printsSyncs()
                ? new SyncLines(
                        new FileOutputStream(FileDescriptor.out), OutputPipe.ofStandardOutput()::awaitRoom, clock)
                : SyncListener.NONE;
    }

    /** Runs until a signal or a change that needs a restart; returns the process's exit code. */
    public int run() throws CommandException, IOException, SourceException, InterruptedException {
        FileLock held = AgentLock.take(net, settings.cniSocket());
        lock = Optional.of(held);
        try (Parts parts = new Parts(WaitClock.SYSTEM, new Random(), new PartLog(notices));
                ProcessPorts ports = new ProcessPorts(settings.proxy())) {
            end.onSignal();
            Duration period = settings.proxy()
                    .policy()
                    .syncPeriod()
                    .orElse(settings.proxy().policy().retry().max());
            AgentPages pages = new AgentPages(parts, proxy, registry, clock, period.multipliedBy(2));
            ports.serve(pages::health, server.before(pages::metrics));
            start(parts);
            LOG.atInfo().addKeyValue("node", settings.proxy().node()).log("agent.started");
            end.await();
            LOG.atInfo().log("agent.stopping");
        } finally {
            held.close();
            end.ended();
        }
        return end.exitCode();
    }

    /** The next agent or a cleanup may start once this one begins to drain connections, and not earlier. */
    private void handedOver() {
        if (end.isAsked()) {
            lock.ifPresent(FileLock::close);
        }
    }

    private void start(Parts parts) throws IOException, SourceException {
        String name = settings.proxy().node();
        PolicyNotice notEnforced = new PolicyNotice(notices);
        SourcePart source = new SourcePart(
                () -> sources.agentSource(settings.proxy().mode(), name, policies, notEnforced, apiMetrics),
                cluster,
                notices);
        RoutesPart routes = new RoutesPart(net, routeSettings(), cluster, notices);
        BridgeNetfilterModule netfilter =
                new BridgeNetfilterModule(BridgeNetfilter::isLoaded, () -> iptables.command(IpFamily.IPV4));
        OutdatedGateways gateways =
                OutdatedGateways.onThisNode(net, settings.network().stateDir(), Conflist.NETWORK, Conflist.BRIDGE);
        NetworkPart network = new NetworkPart(
                settings.network(),
                installation(),
                netfilter,
                podSources(),
                gateways::remove,
                cluster::node,
                routes::podMtu,
                notices,
                System::nanoTime);
        CniMetrics cniMetrics = new CniMetrics(registry, new CniLog());
        AgentMetrics.register(registry, parts::states, notices, network::isFirst);
        RouteMetrics.register(registry, routes::status);
        SourceMetrics.register(registry, source::stats);
        ProcessMetrics.register(registry, NodepathVersion.version());

        PolicyMark mark = new PolicyMark(settings.network().folders());
        AddressGate pods = policies.<AddressGate>map(objects -> new PodGate(net, objects, mark, settings.policyWait()))
                .orElse(AddressGate.OPEN);
        parts.start(new CniPart(net, settings.cniSocket(), pods, cniMetrics));
        parts.start(source);
        proxy.ifPresent(parts::start);
        parts.start(routes);
        parts.start(new ForwardPart(this::forwardCommands, cluster::node));
        parts.start(network);
        if (policies.isPresent()) {
            PolicyNode self =
                    new PolicyNode(name, Conflist.BRIDGE, relays, settings.policyStrict(), settings.policyLogGroup());
            PolicyMetrics metrics = new PolicyMetrics(registry);
            parts.start(new PolicyPart(
                    net, self, policies.get(), mark, relays ? gate : evaluator -> {}, policyLimit(), notices, metrics));
            if (self.strict()) {
                parts.start(new RefusedFlowsPart(net, self, policies.get(), metrics));
            }
        } else {
            parts.start(new PolicyRemovalPart(net, mark, notices));
        }
        if (sources.isApiServer()) {
            cluster.subscribe(
                    (snapshot, changed) -> node.reasonToEnd(snapshot).ifPresent(reason -> end.restart(name, reason)));
            NodeReport report = new NodeReport(sources.access().telling(apiMetrics), name, clock);
            parts.start(new EventPart(notices, report::event));
            parts.start(new ConditionPart(() -> networkProblem(parts), report::networkReady));
        }
    }

    private NetworkPart.PodSources podSources() {
        CheckedSources checked =
                CheckedSources.onThisNode(net, settings.network().stateDir(), Conflist.NETWORK, Conflist.BRIDGE);
        return new NetworkPart.PodSources() {
            @Override
            public Optional<String> problem() throws IOException {
                return SourceTable.problem(net::nftTables);
            }

            @Override
            public boolean repair() throws IOException {
                return checked.repair();
            }
        };
    }

    /** The traffic that policies do not reach; empty if they reach all. */
    private Optional<String> policyLimit() {
        if (!relays) {
            return Optional.empty();
        }
        boolean kept = settings.proxy().relay().keepsClientAddress();
        return Optional.of("in userspace mode " + (kept ? "UDP" : "TCP and UDP")
                + " through Services reaches pods of other"
                + " nodes with the address of this node, so what they may receive depends on it and not on the client"
                + " (expected: " + (kept ? "" : "--keep-client-address for TCP, or ") + "mode iptables or nftables)");
    }

    /** If the proxy does not need iptables, the agent does not either. */
    private List<IptablesCommand> forwardCommands() throws IptablesException {
        try {
            return iptables.usableFamilies();
        } catch (IptablesException e) {
            if (settings.proxy().mode() != ProxyMode.NFTABLES || e.isTemporary()) {
                throw e;
            }
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("forward.skipped");
            return List.of();
        }
    }

    /** Why pods cannot be reached; empty if they can. Services do not count. */
    private static Optional<String> networkProblem(Parts parts) {
        Map<String, String> problems = new TreeMap<>();
        for (String part : List.of("cni", "network", "routes", "source")) {
            if (!parts.isUp(part)) {
                problems.put(part, "not up");
            }
        }
        return problems.isEmpty() ? Optional.empty() : Optional.of(problems.toString());
    }

    private Optional<PluginInstallation> installation() throws IOException {
        if (!settings.installs()) {
            return Optional.empty();
        }
        String scripts = System.getProperty("nodepath.scripts");
        if (scripts == null) {
            throw new IOException(
                    "nodepath.scripts: unset (expected: a start by the script nodepath, or --install=false)");
        }
        PluginFiles files = PluginFiles.of(Path.of(scripts), Path.of(System.getProperty("java.home")));
        return Optional.of(
                new PluginInstallation(settings.network().folders(), files, NodepathVersion.version(), clock));
    }

    private RouteSettings routeSettings() {
        return new RouteSettings(
                settings.proxy().node(), settings.overlay(), Conflist.BRIDGE, true, settings.nonMasqueradeCidrs());
    }
}
