package dev.nodepath.agent.options;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.sync.RuleConfig;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import dev.nodepath.proxy.userspace.relay.Balancer;
import dev.nodepath.proxy.userspace.relay.PortRange;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of userspace mode, with kube-proxy's former names where it had them. */
final class UserspaceOptions {
    @Option(
            names = "--bind-address",
            paramLabel = "IP",
            description = "In userspace mode, the address that relays listen on (default: all addresses of both"
                    + " families).")
    private @Nullable String bindAddress;

    @Option(
            names = "--proxy-port-range",
            paramLabel = "FIRST-LAST",
            description = "In userspace mode, the ports that relays may listen on (default: any that the kernel"
                    + " chooses).")
    private @Nullable String portRange;

    @Option(
            names = "--udp-timeout",
            paramLabel = "DURATION",
            defaultValue = "250ms",
            description =
                    "In userspace mode, how long a UDP flow may be idle before it is closed (default: ${DEFAULT-VALUE}).")
    private String udpTimeout = "250ms";

    @Option(
            names = "--balancer",
            paramLabel = "NAME",
            defaultValue = "round-robin",
            description = "In userspace mode, how an endpoint is chosen: ${COMPLETION-CANDIDATES}"
                    + " (default: ${DEFAULT-VALUE}).")
    private Balancer balancer = Balancer.ROUND_ROBIN;

    @Option(
            names = "--dial-timeouts",
            paramLabel = "DURATION",
            split = ",",
            description = "In userspace mode, how long the first, second, third, ... dial of a connection may"
                    + " take (default: 250ms,500ms,1s,2s).")
    private List<String> dialTimeouts = new ArrayList<>();

    @Option(
            names = "--drain-removed-endpoints",
            paramLabel = "DURATION",
            description = "In userspace mode, how long connections to an endpoint stay open after it left every"
                    + " EndpointSlice (default: without limit).")
    private @Nullable String drainRemovedEndpoints;

    @Option(
            names = "--drain-timeout",
            paramLabel = "DURATION",
            defaultValue = "2s",
            description = "In userspace mode, how long open connections may continue when the process stops"
                    + " (default: ${DEFAULT-VALUE}).")
    private String drainTimeout = "2s";

    @Option(
            names = "--event-loops",
            paramLabel = "N",
            description =
                    "In userspace mode, the number of threads that relay traffic (default: one for two" + " cores).")
    private @Nullable Integer eventLoops;

    @Option(
            names = "--io-uring",
            paramLabel = "BOOL",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "In userspace mode, make the small writes of several connections by one call of io_uring, where"
                            + " the kernel allows it (default: ${DEFAULT-VALUE}).")
    private boolean ioUring = true;

    @Option(
            names = "--keep-client-address",
            description = "In userspace mode, let endpoints see the client's address where their answers come back"
                    + " through this node: pods of this node, and clients outside under"
                    + " externalTrafficPolicy Local. Elsewhere they see the node's.")
    private boolean keepClientAddress;

    @Option(names = "--access-log", description = "In userspace mode, log every connection when it ends.")
    private boolean accessLog;

    /**
     * The relay's configuration.
     *
     * @param clusterCidrs the networks of pods
     * @param rules tell whether the networks of the Nodes are such networks too, and which addresses serve node ports
     */
    RelayConfig config(List<Cidr> clusterCidrs, RuleConfig rules) throws CommandException {
        try {
            RelayConfig.Draft config = new RelayConfig.Draft(RelayConfig.DEFAULTS);
            config.udpTimeout = ProxyOptions.duration("--udp-timeout", udpTimeout);
            config.drainTimeout = ProxyOptions.duration("--drain-timeout", drainTimeout);
            config.clusterCidrs = clusterCidrs;
            config.podsOfNodes = rules.detectLocal() instanceof DetectLocal.NodeCidr || keepClientAddress;
            config.nodePorts = rules.nodePortAddresses();
            config.usesIoUring = ioUring;
            config.keepsClientAddress = keepClientAddress;
            config.accessLog = accessLog;
            config.balancer = balancer;
            config.bindAddress = bindAddress().orElse(config.bindAddress);
            if (portRange != null && !portRange.isEmpty() && !portRange.matches("0(-0)?")) {
                config.portRange = Optional.of(PortRange.parse(portRange));
            }
            if (eventLoops != null) {
                config.eventLoops = eventLoops;
            }
            if (!dialTimeouts.isEmpty()) {
                config.dialTimeouts = durations("--dial-timeouts", dialTimeouts);
            }
            if (drainRemovedEndpoints != null) {
                config.drainRemovedEndpoints =
                        Optional.of(ProxyOptions.duration("--drain-removed-endpoints", drainRemovedEndpoints));
            }
            return UserspaceProxy.checked(config.build());
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("userspace options: " + e.getMessage()));
        }
    }

    /** Refuses a wrong {@code --bind-address}. kube-proxy has the option in every mode. */
    void checkBindAddress() throws CommandException {
        bindAddress();
    }

    /** The address of {@code --bind-address}; empty if it is not given. */
    private Optional<IpAddress> bindAddress() throws CommandException {
        try {
            return Optional.ofNullable(bindAddress).map(IpAddress::parse);
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(
                    List.of("--bind-address: \"" + bindAddress + "\" (expected: an IPv4 or IPv6 address)"));
        }
    }

    private static List<Duration> durations(String option, List<String> texts) throws CommandException {
        List<Duration> durations = new ArrayList<>();
        for (String text : texts) {
            durations.add(ProxyOptions.duration(option, text));
        }
        return durations;
    }
}
