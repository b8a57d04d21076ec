package dev.nodepath.agent.options;

import dev.nodepath.endpoints.sync.SyncPolicy;
import dev.nodepath.linux.time.BackOff;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** kube-proxy's flags, of every command that runs a proxy. */
public final class ProxyFlags {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyFlags.class);

    /** Options that choose the task of the process, not its settings. */
    private static final Set<String> OF_THE_PROCESS =
            Set.of("--config", "--write-config-to", "--cleanup", "--init-only");

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A KubeProxyConfiguration (kubeproxy.config.k8s.io/v1alpha1). Its fields override"
                    + " flags, but --hostname-override overrides its field.")
    private @Nullable Path config;

    @Option(
            names = "--iptables-min-sync-period",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "Shortest time between two syncs (default: ${DEFAULT-VALUE}). Under steady change the pause"
                    + " after a sync is 7 times what it took, at most 1s, or this if it is longer.")
    private String minSyncPeriod = "0s";

    @Option(
            names = "--iptables-sync-period",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description =
                    "Longest time between two syncs, and between retries after a failure (default: ${DEFAULT-VALUE}).")
    private String syncPeriod = "30s";

    @Option(
            names = "--nftables-min-sync-period",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "Shortest time between two syncs in nftables mode, as above (default: ${DEFAULT-VALUE}).")
    private String nftablesMinSyncPeriod = "0s";

    @Option(
            names = "--nftables-sync-period",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description = "Longest time between two syncs in nftables mode, and between retries after a failure"
                    + " (default: ${DEFAULT-VALUE}).")
    private String nftablesSyncPeriod = "30s";

    @Option(
            names = "--tcp-reset-removed-endpoints",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            description = "In iptables and nftables mode, reset TCP connections to removed endpoints.")
    private boolean tcpReset;

    @Option(
            names = "--oom-score-adj",
            paramLabel = "N",
            defaultValue = "-999",
            description = "The process's oom_score_adj, -1000 to 1000: the kernel kills processes with a lower"
                    + " one last when memory is short. Lowering it needs CAP_SYS_RESOURCE (default: ${DEFAULT-VALUE}).")
    private int oomScoreAdj;

    @Mixin
    private final SourceOptions sources = new SourceOptions();

    @Mixin
    private final ProxyOptions options = new ProxyOptions();

    @Mixin
    private final VariantOption iptables = new VariantOption();

    @Mixin
    private final UserspaceOptions userspace = new UserspaceOptions();

    @Mixin
    private final ConntrackOptions conntrack = new ConntrackOptions();

    @Mixin
    private final StatusOptions status = new StatusOptions();

    @Mixin
    private final UnusedOptions unused = new UnusedOptions();

    /** The configuration file, if one is given. */
    public Optional<Path> config() {
        return Optional.ofNullable(config);
    }

    /** Logs the given options that have no effect. */
    public void tellUnused(CommandSpec spec) {
        List<String> without = UnusedOptions.given(spec.commandLine().getParseResult());
        if (!without.isEmpty()) {
            LOG.atInfo().addKeyValue("options", without).log("options.without_effect");
        }
    }

    /** The settings of a proxy in this mode. */
    public ProxySettings settings(ProxyMode mode, CommandSpec spec) throws CommandException, IOException {
        OomScore.check(oomScoreAdj);
        userspace.checkBindAddress();
        return new ProxySettings(
                mode,
                options.iptables(),
                options.nftables(),
                mode == ProxyMode.USERSPACE ? relay() : RelayConfig.DEFAULTS,
                mode == ProxyMode.NFTABLES
                        ? policy(
                                "--nftables-min-sync-period",
                                nftablesMinSyncPeriod,
                                "--nftables-sync-period",
                                nftablesSyncPeriod)
                        : policy("--iptables-min-sync-period", minSyncPeriod, "--iptables-sync-period", syncPeriod),
                tcpReset,
                conntrack.settings(Runtime.getRuntime().availableProcessors()),
                status.healthz(),
                status.metrics(),
                status.hardFail(),
                Configz.json(configured(spec)));
    }

    /**
     * The settings as a file that {@code --config} reads. A warning names the given options that no field of it can
     * express.
     */
    public String file(CommandSpec spec) throws CommandException {
        List<String> left = spec.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> !UnusedOptions.has(option))
                .map(option -> option.names()[0])
                .filter(name -> !ConfiguredCommand.isDecided(name) && !OF_THE_PROCESS.contains(name))
                .distinct()
                .toList();
        if (!left.isEmpty()) {
            LOG.atWarn().addKeyValue("options", left).log("config.options_not_written");
        }
        return Configz.file(configured(spec));
    }

    /** The value of each option in force; null if it has none. */
    private Function<String, @Nullable Object> configured(CommandSpec spec) throws CommandException {
        Map<String, String> addresses = status.inForce();
        return flag -> {
            OptionSpec option = spec.findOption(flag);
            return addresses.containsKey(flag) ? addresses.get(flag) : option == null ? null : option.getValue();
        };
    }

    /** Applies {@code --oom-score-adj}. */
    public void adjustOomScore() {
        OomScore.adjust(oomScoreAdj);
    }

    /** The options of the source. */
    public SourceOptions sources() {
        return sources;
    }

    /** The options of the iptables programs. */
    public VariantOption iptables() {
        return iptables;
    }

    private RelayConfig relay() throws CommandException {
        return userspace.config(options.clusterCidrs(), options.iptables().common());
    }

    private static SyncPolicy policy(String minFlag, String minPeriod, String maxFlag, String maxPeriod)
            throws CommandException {
        Duration min = ProxyOptions.duration(minFlag, minPeriod);
        Duration max = ProxyOptions.duration(maxFlag, maxPeriod);
        if (max.isZero() || max.compareTo(min) < 0) {
            throw CommandException.wrongUsage(List.of(maxFlag + ": " + maxPeriod
                    + " (expected: more than 0, and at least " + minFlag + ", which is " + minPeriod + ")"));
        }
        Duration first = SyncPolicy.DEFAULT.retry().first();
        return new SyncPolicy(min, new BackOff(first.compareTo(max) < 0 ? first : max, max), Optional.of(max));
    }
}
