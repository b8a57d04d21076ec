package dev.nodepath.agent;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.endpoints.sync.SyncLoop;
import dev.nodepath.endpoints.sync.SyncPolicy;
import dev.nodepath.endpoints.sync.ThreadScheduler;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nodepath proxy}: kube-proxy's work in the network namespace it is started in, until a signal ends it. */
@Command(
        name = "proxy",
        description = "Does kube-proxy's work in the network namespace it is started in. Needs CAP_NET_ADMIN.",
        mixinStandardHelpOptions = true)
final class ProxyCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyCommand.class);

    @Option(names = "--mode", paramLabel = "MODE", required = true, description = "${COMPLETION-CANDIDATES}")
    private ProxyMode mode = ProxyMode.IPTABLES;

    @Option(
            names = "--iptables-min-sync-period",
            paramLabel = "DURATION",
            defaultValue = "1s",
            description = "Shortest time between two syncs (default: ${DEFAULT-VALUE}).")
    private String minSyncPeriod = "1s";

    @Option(
            names = "--iptables-sync-period",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description =
                    "Longest time between two syncs, and between tries after a failure (default: ${DEFAULT-VALUE}).")
    private String syncPeriod = "30s";

    @Mixin
    private final SourceOptions sources = new SourceOptions();

    @Mixin
    private final ProxyOptions options = new ProxyOptions();

    @Mixin
    private final UserspaceOptions userspace = new UserspaceOptions();

    @Override
    public Integer call() throws CommandException, IOException, SourceException, InterruptedException {
        SyncPolicy policy = policy();
        ServiceSource source = sources.source(options.node());
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(stop, stopped), "stop"));
        try (ServiceProxy proxy = proxy();
                SyncLoop loop = new SyncLoop(
                        proxy,
                        policy,
                        new ThreadScheduler("sync", Clock.systemUTC()),
                        new SplittableRandom(),
                        new OtherModeRemover(mode.other()));
                source) {
            source.start(loop::offer);
            LOG.atInfo()
                    .addKeyValue("mode", mode)
                    .addKeyValue("node", options.node())
                    .log("proxy.started");
            stop.await();
        } finally {
            stopped.countDown();
        }
        return 0;
    }

    private ServiceProxy proxy() throws CommandException, IOException {
        List<Iptables> iptables = usableFamilies();
        if (mode == ProxyMode.USERSPACE) {
            return new UserspaceProxy(options.node(), userspace.config(options.clusterCidrs()), iptables);
        }
        return new IptablesProxy(options.iptables(), iptables, new KernelLinuxNet().current());
    }

    /** IPv4 first, without which there is no proxy, and IPv6 if the kernel has its tables; fails without the right to see them. */
    private static List<Iptables> usableFamilies() throws IptablesException {
        List<Iptables> commands = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            Iptables iptables = new IptablesCommand(family);
            try {
                iptables.save(Table.NAT);
                commands.add(iptables);
            } catch (IptablesException e) {
                if (family == IpFamily.IPV4) {
                    throw e;
                }
                LOG.atWarn()
                        .addKeyValue("family", family)
                        .addKeyValue("error", e.getMessage())
                        .log("proxy.family_left_out");
            }
        }
        return commands;
    }

    private SyncPolicy policy() throws CommandException {
        Duration min = ProxyOptions.duration("--iptables-min-sync-period", minSyncPeriod);
        Duration max = ProxyOptions.duration("--iptables-sync-period", syncPeriod);
        try {
            return new SyncPolicy(min, SyncPolicy.DEFAULT.retryMin(), max, Optional.of(max));
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("sync periods: " + e.getMessage()));
        }
    }

    /** On a signal: lets the proxy end in order, and holds the process until it has. */
    private static void end(CountDownLatch stop, CountDownLatch stopped) {
        stop.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes what another mode has left behind, as soon as this one carries the traffic and not before. */
    private static final class OtherModeRemover implements SyncListener {
        private final ProxyMode other;
        private boolean removed;

        OtherModeRemover(ProxyMode other) {
            this.other = other;
        }

        @Override
        public void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration) {
            if (!removed) {
                try {
                    other.removeRules();
                    removed = true;
                } catch (IptablesException e) {
                    LOG.atWarn()
                            .addKeyValue("mode", other)
                            .addKeyValue("error", e.getMessage())
                            .log("proxy.other_mode_left");
                }
            }
        }
    }
}
