package dev.nodepath.cli;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.OutputForm;
import dev.nodepath.agent.options.ProxyOptions;
import dev.nodepath.agent.options.RuleModeOption;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesRules;
import dev.nodepath.proxy.iptables.PacketTracer;
import dev.nodepath.proxy.nftables.NftablesConfig;
import dev.nodepath.proxy.nftables.NftablesProxy;
import dev.nodepath.proxy.nftables.TableTracer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nodepath trace}: prints the way of one packet, and changes nothing. */
@Command(
        name = "trace",
        description = {
            "Shows the way of a connection's first packet through the rules.",
            "With names it is a packet in the cluster that 'nodepath up' runs, with --manifests one that meets the"
                    + " rules for some objects."
        },
        footer = {
            "nodepath trace client-1 web:80",
            "nodepath trace client n1:30080 -o json",
            "nodepath trace --manifests services.yaml --from=10.244.0.5 --to=10.96.0.10:80"
        },
        mixinStandardHelpOptions = true)
final class TraceCommand implements Callable<Integer> {
    private static final Pattern DESTINATION = Pattern.compile("(.+):([0-9]{1,5})(?:/(tcp|udp|sctp))?");

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FROM",
            description = "In the running cluster: a pod, NAMESPACE/POD, a node, or client for the one outside.")
    private String sender = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TO",
            description =
                    "In the running cluster: SERVICE[.NAMESPACE]:PORT, POD:PORT, NODE:NODEPORT or IP:PORT; PORT is a"
                            + " number or a name.")
    private String receiver = "";

    @Option(names = "--from", paramLabel = "IP", description = "Source address of the packet.")
    private String from = "";

    @Option(
            names = "--to",
            paramLabel = "IP:PORT[/PROTOCOL]",
            description = "Destination of the packet; PROTOCOL is tcp, udp or sctp (default: tcp).")
    private String to = "";

    @Option(
            names = "--in-interface",
            paramLabel = "NAME",
            description = "Link that the packet comes in through; only some rules match on it.")
    private String inputInterface = "";

    @Option(
            names = "--host-addresses",
            paramLabel = "IP",
            split = ",",
            description = "Addresses of the node's links (default: those that the Node object lists).")
    private List<String> hostAddresses = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "Output format: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private OutputForm output = OutputForm.TEXT;

    @Mixin
    private final ClusterName name = new ClusterName();

    @Mixin
    private final RuleModeOption mode = new RuleModeOption();

    @Mixin
    private final ManifestOptions source = new ManifestOptions();

    @Mixin
    private final ProxyOptions options = new ProxyOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, ManifestException, IOException, InterruptedException {
        print(sender.isEmpty() ? ofManifests() : ofCluster());
        return 0;
    }

    private String ofCluster() throws CommandException, IOException, InterruptedException {
        for (String name :
                List.of("--manifests", "--from", "--to", "--mode", "--hostname-override", "--cluster-cidr")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(name)) {
                throw CommandException.wrongUsage(List.of(name + ": not with FROM and TO (expected: these alone, as the"
                        + " running cluster says the rest)"));
            }
        }
        if (receiver.isEmpty()) {
            throw CommandException.wrongUsage(
                    List.of("TO: missing (expected: SERVICE:PORT, POD:PORT, NODE:NODEPORT or IP:PORT after FROM)"));
        }
        return ClusterTrace.of(name, sender, receiver, output == OutputForm.JSON);
    }

    private String ofManifests() throws CommandException, ManifestException, IOException {
        List<String> missing = new ArrayList<>();
        if (!source.isGiven()) {
            missing.add("--manifests");
        }
        if (from.isEmpty()) {
            missing.add("--from");
        }
        if (to.isEmpty()) {
            missing.add("--to");
        }
        if (!missing.isEmpty()) {
            throw CommandException.wrongUsage(List.of(String.join(", ", missing)
                    + ": missing (expected: --manifests, --from and --to; or FROM TO in the running cluster)"));
        }
        TracedPacket packet = packet();
        List<IpAddress> given = new ArrayList<>();
        for (String address : hostAddresses) {
            given.add(address("--host-addresses", address));
        }
        ServiceSnapshot snapshot = source.snapshot();
        Trace trace = mode.isNftables() ? inNftables(snapshot, packet, given) : inIptables(snapshot, packet, given);
        TracedPolicies traced =
                TracedPolicies.of(trace, source.policies(options.node()), options.node(), host(snapshot, given));
        return output == OutputForm.TEXT ? TraceText.of(traced) : TraceJson.of(traced);
    }

    private void print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
    }

    private Trace inIptables(ServiceSnapshot snapshot, TracedPacket packet, List<IpAddress> given)
            throws CommandException {
        IptablesConfig config = options.iptables().with(draft -> draft.hostAddresses = given);
        RuleSet rules = IptablesRules.of(snapshot, config, packet.destination().family());
        return PacketTracer.trace(rules, packet, host(snapshot, given));
    }

    private Trace inNftables(ServiceSnapshot snapshot, TracedPacket packet, List<IpAddress> given)
            throws CommandException {
        NftablesConfig config = options.nftables().with(draft -> draft.hostAddresses = given);
        NftTableState table =
                NftablesProxy.table(snapshot, config, packet.destination().family());
        return TableTracer.trace(table, packet, host(snapshot, given));
    }

    private Set<IpAddress> host(ServiceSnapshot snapshot, List<IpAddress> given) throws CommandException {
        NodeInfo node = snapshot.nodes().get(options.node());
        return Set.copyOf(given.isEmpty() && node != null ? node.addresses() : given);
    }

    private TracedPacket packet() throws CommandException {
        Matcher parts = DESTINATION.matcher(to.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            throw wrong("--to", to, "IP:PORT, IP:PORT/udp or IP:PORT/sctp");
        }
        String ip = parts.group(1);
        boolean bracketed = ip.startsWith("[") && ip.endsWith("]");
        IpAddress destination = address("--to", bracketed ? ip.substring(1, ip.length() - 1) : ip);
        String protocol = parts.group(3);
        try {
            return new TracedPacket(
                    address("--from", from),
                    protocol == null ? Protocol.TCP : Protocol.valueOf(protocol.toUpperCase(Locale.ROOT)),
                    destination,
                    Integer.parseInt(parts.group(2)),
                    inputInterface);
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("--to: " + e.getMessage()));
        }
    }

    private static IpAddress address(String option, String text) throws CommandException {
        try {
            return IpAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw wrong(option, text, "an IPv4 or IPv6 address");
        }
    }

    private static CommandException wrong(String option, String value, String expected) {
        return CommandException.wrongUsage(List.of(option + ": \"" + value + "\" (expected: " + expected + ")"));
    }
}
