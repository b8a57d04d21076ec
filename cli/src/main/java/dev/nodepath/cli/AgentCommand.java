package dev.nodepath.cli;

import dev.nodepath.agent.daemon.NodeAgent;
import dev.nodepath.agent.install.HostFolders;
import dev.nodepath.agent.install.NetworkSettings;
import dev.nodepath.agent.options.AgentSettings;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ConfiguredCommand;
import dev.nodepath.agent.options.NodeFolderOptions;
import dev.nodepath.agent.options.ProxyFlags;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.options.ProxyOptions;
import dev.nodepath.agent.process.ServerPages;
import dev.nodepath.agent.routes.Overlay;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.linux.address.Cidr;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nodepath agent}: the DaemonSet's process; it runs until a signal. */
@Command(
        name = "agent",
        description = {
            "Runs this node's part of the cluster's network: wires pods, forwards Services, keeps the routes to the"
                    + " pods of other nodes.",
            "Needs CAP_NET_ADMIN and CAP_SYS_ADMIN."
        },
        footer = {
            "nodepath agent --kubeconfig=node.conf",
            "nodepath agent --mode=nftables --overlay=vxlan --kubeconfig=node.conf",
            "nodepath agent --mode=none --hostname-override=n1 --manifests nodes.yaml"
        },
        exitCodeList = {"3:Out of memory.", "130, 143:Ended by Ctrl-C, or by SIGTERM."},
        mixinStandardHelpOptions = true)
final class AgentCommand implements Callable<Integer> {
    private static final int LOG_GROUP_MAX = 65_535;

    private static final Duration POLICY_WAIT_MAX = Duration.ofSeconds(10);

    /** The options that the command line decides even with a configuration file. */
    private static final Set<String> OVERRIDE_CONFIG = Set.of("--hostname-override", "--kubeconfig", "--mode");

    /** How Services are carried. */
    enum Proxy {
        IPTABLES,
        NFTABLES,
        USERSPACE,
        /** Another program forwards Services. */
        NONE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = {"--mode", "--proxy-mode"},
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "Proxy mode: ${COMPLETION-CANDIDATES}. With none another program forwards Services;"
                    + " rules that are there stay, and 'nodepath cleanup' removes them (default: ${DEFAULT-VALUE}).")
    private Proxy mode = Proxy.IPTABLES;

    @Option(
            names = "--overlay",
            paramLabel = "MODE",
            defaultValue = "auto",
            description =
                    "How packets get to other nodes: auto (routes where the nodes share a link, VXLAN where they do"
                            + " not), none or vxlan (default: ${DEFAULT-VALUE}).")
    private Overlay overlay = Overlay.AUTO;

    @Option(
            names = "--non-masquerade-cidrs",
            paramLabel = "CIDR",
            split = ",",
            description = "Networks that pods reach with their own address, not masqueraded. All podCIDRs are"
                    + " such networks without this option (default: none).")
    private List<String> nonMasqueradeCidrs = new ArrayList<>();

    @Option(
            names = "--network-policy",
            paramLabel = "BOOL",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            description = "Enforce NetworkPolicies, with an API server. With false their tables are removed (default:"
                    + " ${DEFAULT-VALUE}).")
    private boolean networkPolicy;

    @Option(
            names = "--network-policy-log-group",
            paramLabel = "GROUP",
            defaultValue = "0",
            description = "The NFLOG group that is told of packets that NetworkPolicies refuse: 1 to 65535; 0 for none"
                    + " (default: ${DEFAULT-VALUE}).")
    private int networkPolicyLogGroup;

    @Option(
            names = "--network-policy-strict",
            paramLabel = "BOOL",
            arity = "0..1",
            defaultValue = "false",
            fallbackValue = "true",
            description = "End connections that a change of NetworkPolicies forbids. Otherwise they go on, as"
                    + " connections of before (default: ${DEFAULT-VALUE}).")
    private boolean networkPolicyStrict;

    @Option(
            names = "--network-policy-wait",
            paramLabel = "DURATION",
            defaultValue = "2s",
            description =
                    "How long the start of a pod waits until its NetworkPolicies are in force. Then it fails, and the"
                            + " kubelet tries again (default: ${DEFAULT-VALUE}).")
    private String networkPolicyWait = "2s";

    @Option(
            names = "--pod-source-check",
            paramLabel = "BOOL",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Pods can send with their own MAC and addresses alone. Pods that forward packets of others need"
                            + " false, which is for new pods (default: ${DEFAULT-VALUE}).")
    private boolean podSourceCheck;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            description = "MTU of the pods' links (default: the largest that fits through the node's links and"
                    + " the overlay).")
    private @Nullable Integer mtu;

    @Option(
            names = "--install",
            paramLabel = "BOOL",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            description = "Install the CNI plugin and its Java on the node (default: ${DEFAULT-VALUE}).")
    private boolean install;

    @Option(
            names = "--print-syncs",
            paramLabel = "BOOL",
            arity = "0..1",
            defaultValue = "false",
            fallbackValue = "true",
            description = "Write each sync of the proxy that brings a change into force, or fails, to standard output"
                    + " as a line of JSON (default: ${DEFAULT-VALUE}).")
    private boolean printSyncs;

    @Mixin
    private final NodeFolderOptions folderOptions = new NodeFolderOptions();

    @Mixin
    private final ProxyFlags flags = new ProxyFlags();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException, SourceException, InterruptedException {
        flags.tellUnused(spec);
        if (flags.config().isEmpty()) {
            return run();
        }
        Set<String> overrides = new HashSet<>(OVERRIDE_CONFIG);
        return ConfiguredCommand.of(
                        new AgentCommand(),
                        flags.config().get(),
                        spec.commandLine().getParseResult(),
                        overrides)
                .run();
    }

    private int run() throws CommandException, IOException, SourceException, InterruptedException {
        ProxyMode proxyMode = switch (mode) {
            case USERSPACE -> ProxyMode.USERSPACE;
            case NFTABLES -> ProxyMode.NFTABLES;
            case IPTABLES, NONE -> ProxyMode.IPTABLES;
        };
        AgentSettings settings = new AgentSettings(
                flags.settings(proxyMode, spec),
                mode != Proxy.NONE,
                printSyncs,
                network(),
                install,
                folderOptions.cniSocket(),
                overlay,
                networkPolicy,
                networkPolicyStrict,
                policyLogGroup(),
                policyWait(),
                nonMasqueradeCidrs());
        flags.sources().check();
        flags.adjustOomScore();
        return new NodeAgent(settings, flags.sources(), flags.iptables(), ServerPages.of(spec)).run();
    }

    private int policyLogGroup() throws CommandException {
        if (networkPolicyLogGroup < 0 || networkPolicyLogGroup > LOG_GROUP_MAX) {
            throw CommandException.wrongUsage(List.of("--network-policy-log-group: " + networkPolicyLogGroup
                    + " (expected: 0 to " + LOG_GROUP_MAX + ")"));
        }
        return networkPolicyLogGroup;
    }

    /** A client of the CNI server waits 20 s, and then works without it. */
    private Duration policyWait() throws CommandException {
        Duration wait = ProxyOptions.duration("--network-policy-wait", networkPolicyWait);
        if (wait.isNegative() || wait.compareTo(POLICY_WAIT_MAX) > 0) {
            throw CommandException.wrongUsage(List.of("--network-policy-wait: " + networkPolicyWait
                    + " (expected: 0s to " + POLICY_WAIT_MAX.toSeconds() + "s)"));
        }
        return wait;
    }

    private NetworkSettings network() throws CommandException {
        HostFolders folders = folderOptions.folders();
        try {
            return new NetworkSettings(
                    folders,
                    folderOptions.cniSocket().resolveSibling("ipam"),
                    Optional.ofNullable(mtu),
                    podSourceCheck);
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("agent options: " + e.getMessage()));
        }
    }

    private List<Cidr> nonMasqueradeCidrs() throws CommandException {
        try {
            return nonMasqueradeCidrs.stream()
                    .filter(text -> !text.isEmpty())
                    .map(Cidr::parse)
                    .toList();
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("--non-masquerade-cidrs: " + e.getMessage()));
        }
    }
}
