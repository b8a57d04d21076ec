package dev.nodepath.agent;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.sync.Scheduler;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.endpoints.sync.ThreadScheduler;
import dev.nodepath.linux.Conntrack;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.proxy.iptables.ConntrackCleaner;
import dev.nodepath.proxy.iptables.DetectLocal;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that works together while a proxy runs: source, loop, proxy and what listens to them. */
final class RunningProxy {
    private static final Logger LOG = LoggerFactory.getLogger(RunningProxy.class);

    private final ProxySettings settings;
    private final List<IptablesCommand> iptables;
    private final ServiceSource source;
    private final NodeWatch node;
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile int exitCode;

    /** Starts nothing. */
    RunningProxy(ProxySettings settings, List<IptablesCommand> iptables, ServiceSource source) {
        this.settings = settings;
        this.iptables = iptables;
        this.source = source;
        this.node = new NodeWatch(settings.node(), settings.rules().detectLocal() instanceof DetectLocal.NodeCidr);
    }

    /** Runs until a signal, or a change that needs a new beginning; the process's exit code. */
    int run() throws IOException, SourceException, InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        KernelLinuxNet net = new KernelLinuxNet();
        try (NetworkNamespace namespace = net.current()) {
            ConntrackSettings.apply(namespace, settings.conntrackMax(), settings.conntrack());
            if (settings.initOnly()) {
                return 0;
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(stopped), "stop"));
            SyncListeners listeners = new SyncListeners();
            Scheduler scheduler = new ThreadScheduler("sync", Clock.systemUTC());
            try (Conntrack conntrack = net.conntrack();
                    ServiceProxy proxy = proxy(namespace);
                    SyncLoop loop =
                            new SyncLoop(proxy, settings.policy(), scheduler, new SplittableRandom(), listeners);
                    ProxyStatus status = new ProxyStatus(settings, source, loop, proxy, iptables, namespace);
                    source) {
                listen(listeners, status, proxy, conntrack, namespace, scheduler);
                status.serve();
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

    private void listen(
            SyncListeners listeners,
            ProxyStatus status,
            ServiceProxy proxy,
            Conntrack conntrack,
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
        listeners.add(new OtherModeRemover(
                settings.mode().other(),
                iptables,
                () -> !(proxy instanceof IptablesProxy rules) || rules.maySee(UserspaceProxy.CHAINS)));
    }

    private void offer(SyncLoop loop, ServiceSnapshot snapshot, ChangeSet changed) {
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
