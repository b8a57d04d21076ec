package dev.nodepath.agent.options;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.sync.RuleConfig;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.nftables.NftablesConfig;
import dev.nodepath.proxy.nftables.SingleEndpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that shape rules, named as kube-proxy's. */
public final class ProxyOptions {
    /** A packet mark has 32 bits. */
    private static final int BIT_MAX = 31;

    /** The modes by kube-proxy's names. */
    enum DetectLocalMode {
        ClusterCIDR,
        NodeCIDR,
        BridgeInterface,
        InterfaceNamePrefix
    }

    @Mixin
    private final HostnameOption hostname = new HostnameOption();

    @Option(
            names = "--detect-local-mode",
            paramLabel = "MODE",
            defaultValue = "ClusterCIDR",
            description = "How rules recognise traffic of this node's pods: ${COMPLETION-CANDIDATES}"
                    + " (default: ${DEFAULT-VALUE}).")
    private DetectLocalMode detectLocalMode = DetectLocalMode.ClusterCIDR;

    @Option(
            names = "--pod-bridge-interface",
            paramLabel = "NAME",
            description = "Name of the pods' bridge, for --detect-local-mode=BridgeInterface.")
    private String podBridgeInterface = "";

    @Option(
            names = "--pod-interface-name-prefix",
            paramLabel = "PREFIX",
            description = "Prefix of the names of the pods' links, for --detect-local-mode=InterfaceNamePrefix.")
    private String podInterfaceNamePrefix = "";

    @Option(
            names = "--nodeport-addresses",
            paramLabel = "CIDR",
            split = ",",
            description = "Networks of the node's addresses that serve node ports, or the word primary for the"
                    + " addresses of the Node object (default: all addresses; in nftables mode primary).")
    private List<String> nodePortAddresses = new ArrayList<>();

    @Option(
            names = "--cluster-cidr",
            paramLabel = "CIDR",
            split = ",",
            description = "The pods' network, one of each family. Traffic to cluster IPs from other networks is"
                    + " masqueraded.")
    private List<String> clusterCidrs = new ArrayList<>();

    @Option(
            names = "--masquerade-all",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            description = "Masquerade all traffic to cluster IPs.")
    private boolean masqueradeAll;

    @Option(
            names = "--iptables-masquerade-bit",
            paramLabel = "BIT",
            defaultValue = "14",
            description =
                    "Bit of the packet mark that marks packets to masquerade, 0 to 31 (default: ${DEFAULT-VALUE}).")
    private int masqueradeBit;

    @Option(
            names = "--nftables-masquerade-bit",
            paramLabel = "BIT",
            defaultValue = "14",
            description = "As --iptables-masquerade-bit, in nftables mode (default: ${DEFAULT-VALUE}).")
    private int nftablesMasqueradeBit;

    @Option(
            names = "--nftables-single-endpoint",
            paramLabel = "FORM",
            defaultValue = "auto",
            description = "Rule of a Service with one endpoint: map as kube-proxy 1.36, dnat as 1.37, or auto for the"
                    + " form of the Node's kubelet version (default: ${DEFAULT-VALUE}).")
    private SingleEndpoint singleEndpoint = SingleEndpoint.AUTO;

    @Option(
            names = "--iptables-localhost-nodeports",
            paramLabel = "BOOL",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            description = "Serve node ports on 127.0.0.1 too (default: ${DEFAULT-VALUE}).")
    private boolean localhostNodePorts;

    @Option(
            names = "--nftables-connection-counters",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            description =
                    "In nftables mode, count connections by endpoint for /metrics/connections. Each endpoint gets a"
                            + " chain of its own, so syncs of a large cluster take longer.")
    private boolean countConnections;

    /** Checks that each file or folder exists. */
    public static List<Path> existing(List<Path> manifests) throws CommandException {
        for (Path path : manifests) {
            if (!Files.exists(path)) {
                throw CommandException.wrongUsage(
                        List.of("--manifests: " + path + ": not found (expected: a file or folder)"));
            }
        }
        return List.copyOf(manifests);
    }

    /** The name of this node's Node object. */
    public String node() throws CommandException {
        return hostname.node();
    }

    /** The networks of all pods. */
    List<Cidr> clusterCidrs() throws CommandException {
        return named(
                "--cluster-cidr", () -> clusterCidrs.stream().map(Cidr::parse).toList());
    }

    /** The settings of the rules; an error names the wrong option. */
    public IptablesConfig iptables() throws CommandException {
        IptablesConfig.Draft config = new IptablesConfig.Draft(IptablesConfig.DEFAULTS);
        fill(config, "--iptables-masquerade-bit", masqueradeBit);
        config.localhostNodePorts = localhostNodePorts;
        return config.build();
    }

    /** The settings of nftables mode; an error names the wrong option. */
    public NftablesConfig nftables() throws CommandException {
        NftablesConfig.Draft config = new NftablesConfig.Draft(NftablesConfig.DEFAULTS);
        fill(config, "--nftables-masquerade-bit", nftablesMasqueradeBit);
        config.singleEndpoint = singleEndpoint;
        config.countsConnections = countConnections;
        return config.build();
    }

    private void fill(RuleConfig.Draft config, String bitOption, int bit) throws CommandException {
        config.nodeName = node();
        config.detectLocal = detectLocal();
        config.masqueradeAll = masqueradeAll;
        if (bit < 0 || bit > BIT_MAX) {
            throw CommandException.wrongUsage(List.of(bitOption + ": " + bit + " (expected: 0 to " + BIT_MAX + ")"));
        }
        config.masqueradeBit = bit;
        if (!nodePortAddresses.isEmpty()) {
            config.nodePortAddresses = named("--nodeport-addresses", () -> NodePortAddresses.parse(nodePortAddresses));
        }
    }

    private DetectLocal detectLocal() throws CommandException {
        return switch (detectLocalMode) {
            case ClusterCIDR -> {
                List<Cidr> networks = clusterCidrs();
                yield named("--cluster-cidr", () -> new DetectLocal.ClusterCidr(networks));
            }
            case NodeCIDR -> new DetectLocal.NodeCidr();
            case BridgeInterface ->
                ofInterface("--pod-bridge-interface", podBridgeInterface, DetectLocal::bridgeInterface);
            case InterfaceNamePrefix ->
                ofInterface("--pod-interface-name-prefix", podInterfaceNamePrefix, DetectLocal::interfaceNamePrefix);
        };
    }

    private DetectLocal ofInterface(String option, String name, Function<String, DetectLocal> interfaces)
            throws CommandException {
        if (name.isEmpty()) {
            throw CommandException.wrongUsage(
                    List.of(option + ": missing (expected: a name, for --detect-local-mode=" + detectLocalMode + ")"));
        }
        return named(option, () -> interfaces.apply(name));
    }

    /** Reads a duration as kube-proxy's options have it, such as {@code 1s}, {@code 250ms} or {@code 1m30s}. */
    public static Duration duration(String option, String text) throws CommandException {
        return named(option, () -> GoDuration.parse(text));
    }

    /** A value; an error of it names the option. */
    private static <T> T named(String option, Supplier<T> value) throws CommandException {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of(option + ": " + e.getMessage()));
        }
    }
}
