package dev.nodepath.cli;

import dev.nodepath.agent.metrics.ApiMetrics;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ConfiguredCommand;
import dev.nodepath.agent.options.ProxyFlags;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.options.ProxySettings;
import dev.nodepath.agent.process.Capability;
import dev.nodepath.agent.process.ServerPages;
import dev.nodepath.agent.proxy.StandaloneProxy;
import dev.nodepath.endpoints.source.SourceException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nodepath proxy}: does kube-proxy's work in its network namespace until a signal. */
@Command(
        name = "proxy",
        description = {"Does kube-proxy's work in the network namespace it is started in.", "Needs CAP_NET_ADMIN."},
        footer = {
            "nodepath proxy --kubeconfig=node.conf --cluster-cidr=10.244.0.0/16",
            "nodepath proxy --mode=nftables --hostname-override=n1 --manifests web.yaml",
            "nodepath proxy --cluster-cidr=10.244.0.0/16 --write-config-to=proxy.yaml",
            "nodepath proxy --config=proxy.yaml"
        },
        exitCodeList = {"3:Out of memory.", "130, 143:Ended by Ctrl-C, or by SIGTERM."},
        mixinStandardHelpOptions = true)
public final class ProxyCommand implements Callable<Integer> {
    /** The options that the command line decides even with a configuration file, as with kube-proxy. */
    private static final Set<String> OVERRIDE_CONFIG = Set.of("--hostname-override");

    @Option(
            names = {"--mode", "--proxy-mode"},
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "Proxy mode: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private ProxyMode mode = ProxyMode.IPTABLES;

    @Option(
            names = "--write-config-to",
            paramLabel = "FILE",
            description = "Write the settings of --config and of the options to this file (- for standard output), in"
                    + " the format that --config reads, and end.")
    private @Nullable Path writeConfigTo;

    @Option(
            names = "--cleanup",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            description = "Remove every rule of every mode and end; 'nodepath cleanup' also removes an agent's routes.")
    private boolean cleanup;

    @Option(
            names = "--init-only",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            description = "Set the kernel's limit and timeouts of tracked flows, and end.")
    private boolean initOnly;

    @Mixin
    private final ProxyFlags flags = new ProxyFlags();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, SourceException, InterruptedException {
        flags.tellUnused(spec);
        return flags.config().isEmpty()
                ? run()
                : ConfiguredCommand.of(
                                new ProxyCommand(),
                                flags.config().get(),
                                spec.commandLine().getParseResult(),
                                OVERRIDE_CONFIG)
                        .run();
    }

    private int run() throws CommandException, IOException, SourceException, InterruptedException {
        ProxySettings settings = flags.settings(mode, spec);
        if (writeConfigTo != null) {
            write(writeConfigTo, flags.file(spec));
            return 0;
        }
        if (cleanup) {
            CleanupCommand.rulesAlone();
            return 0;
        }
        PrometheusRegistry registry = new PrometheusRegistry();
        var source = flags.sources().source(mode, settings.node(), new ApiMetrics(registry));
        Capability.requireNetAdmin();
        if (!initOnly) {
            flags.adjustOomScore();
        }
        return new StandaloneProxy(settings, flags.iptables(), source, registry, ServerPages.of(spec), initOnly).run();
    }

    private void write(Path file, String text) throws IOException {
        if (file.toString().equals("-")) {
            spec.commandLine().getOut().print(text);
            spec.commandLine().getOut().flush();
        } else {
            Files.writeString(file, text);
        }
    }
}
