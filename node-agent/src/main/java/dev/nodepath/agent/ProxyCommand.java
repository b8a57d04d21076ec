package dev.nodepath.agent;

import dev.nodepath.agent.config.ConfigFile;
import dev.nodepath.agent.config.Configz;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.sync.SyncPolicy;
import dev.nodepath.proxy.userspace.RelayConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nodepath proxy}: kube-proxy's work in the network namespace it is started in, until a signal ends it. */
@Command(
        name = "proxy",
        description = "Does kube-proxy's work in the network namespace it is started in. Needs CAP_NET_ADMIN.",
        mixinStandardHelpOptions = true)
final class ProxyCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyCommand.class);

    /** What the command line says of these holds also beside a configuration file, as with kube-proxy. */
    private static final Set<String> OVERRIDE_CONFIG = Set.of("--hostname-override");

    @Option(
            names = {"--mode", "--proxy-mode"},
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private ProxyMode mode = ProxyMode.IPTABLES;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "A KubeProxyConfiguration (kubeproxy.config.k8s.io/v1alpha1). What it decides about, options do"
                            + " not, but for --hostname-override.")
    private @Nullable Path config;

    @Option(
            names = "--write-config-to",
            paramLabel = "FILE",
            description = "Write what --config and the options ask for to a file that --config takes, and end.")
    private @Nullable Path writeConfigTo;

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

    @Option(
            names = "--tcp-reset-removed-endpoints",
            arity = "0..1",
            fallbackValue = "true",
            description = "Reset TCP connections to endpoints that have gone, in iptables mode.")
    private boolean tcpReset;

    @Option(
            names = "--oom-score-adj",
            paramLabel = "N",
            description = "How eager the kernel is to end this process when memory is short, -1000 to 1000.")
    private @Nullable Integer oomScoreAdj;

    @Option(
            names = "--cleanup",
            arity = "0..1",
            fallbackValue = "true",
            description = "Remove every rule and end, as 'nodepath cleanup' does.")
    private boolean cleanup;

    @Option(
            names = "--init-only",
            arity = "0..1",
            fallbackValue = "true",
            description = "Write the kernel's settings and end.")
    private boolean initOnly;

    @Mixin
    private final SourceOptions sources = new SourceOptions();

    @Mixin
    private final ProxyOptions options = new ProxyOptions();

    @Mixin
    private final IptablesOptions iptables = new IptablesOptions();

    @Mixin
    private final UserspaceOptions userspace = new UserspaceOptions();

    @Mixin
    private final ConntrackOptions conntrack = new ConntrackOptions();

    @Mixin
    private final StatusOptions status = new StatusOptions();

    @Mixin
    private final UnusedOptions unused = new UnusedOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, SourceException, InterruptedException {
        List<String> without = unused.given(spec.commandLine().getParseResult());
        if (!without.isEmpty()) {
            LOG.atInfo().addKeyValue("options", without).log("options.without_effect");
        }
        return config == null ? run() : withConfig(config).run();
    }

    /** The same command with what the file says. */
    private ProxyCommand withConfig(Path file) throws CommandException, SourceException {
        if (!Files.exists(file)) {
            throw CommandException.wrongUsage(List.of("--config: " + file + ": not found (expected: a file)"));
        }
        ConfigFile read = ConfigFile.read(file);
        Set<String> decided = ConfigFile.decided();
        List<String> arguments = new ArrayList<>(read.arguments());
        List<String> ignored = new ArrayList<>();
        // An option that is given twice is listed twice, each time with all values.
        for (OptionSpec option :
                new LinkedHashSet<>(spec.commandLine().getParseResult().matchedOptions())) {
            String name = option.names()[0];
            if (decided.contains(name) && !OVERRIDE_CONFIG.contains(name)) {
                ignored.add(name);
            } else if (!name.equals("--config")) {
                option.originalStringValues().forEach(value -> arguments.add(name + "=" + value));
            }
        }
        if (!ignored.isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("options", ignored)
                    .addKeyValue("file", file)
                    .log("config.options_ignored");
        }
        if (!read.unused().isEmpty()) {
            LOG.atInfo()
                    .addKeyValue("fields", read.unused())
                    .addKeyValue("file", file)
                    .log("config.fields_unused");
        }
        ProxyCommand effective = new ProxyCommand();
        CommandLine parser = new CommandLine(effective)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOverwrittenOptionsAllowed(true);
        try {
            parser.parseArgs(arguments.toArray(String[]::new));
        } catch (CommandLine.ParameterException e) {
            throw CommandException.failed(file + ": " + e.getMessage());
        }
        return effective;
    }

    private int run() throws CommandException, IOException, SourceException, InterruptedException {
        SyncPolicy policy = policy();
        ProxySettings settings = new ProxySettings(
                mode,
                options.node(),
                options.iptables(),
                mode == ProxyMode.USERSPACE ? relay() : RelayConfig.defaults(),
                policy,
                tcpReset,
                conntrack.max(Runtime.getRuntime().availableProcessors()),
                conntrack.settings(),
                status.healthz(),
                status.metrics(),
                status.hardFail(),
                Configz.json(this::valueOf),
                initOnly);
        if (writeConfigTo != null) {
            Files.writeString(writeConfigTo, Configz.file(this::valueOf));
            return 0;
        }
        if (oomScoreAdj != null) {
            OomScore.adjust(oomScoreAdj);
        }
        if (cleanup) {
            return new CleanupCommand().call();
        }
        var source = sources.source(options.node());
        Capability.requireNetAdmin();
        return new RunningProxy(settings, iptables.usableFamilies(), source).run();
    }

    private RelayConfig relay() throws CommandException {
        return userspace.config(options.clusterCidrs(), options.iptables().nodePortAddresses());
    }

    private @Nullable Object valueOf(String flag) {
        OptionSpec option = spec.findOption(flag);
        return option == null ? null : option.getValue();
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
}
