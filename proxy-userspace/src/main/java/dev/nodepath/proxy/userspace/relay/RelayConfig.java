package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The configuration of the relay.
 *
 * @param bindAddress the address to listen on; {@code 0.0.0.0} and {@code ::} mean all addresses of both families; any
 *     other address excludes the other family
 * @param portRange the ports to listen on; empty if the kernel chooses
 * @param eventLoops the number of event loops, at least 1; each is a thread
 * @param usesIoUring whether one call of io_uring makes the small writes of several connections, where the kernel
 *     allows it
 * @param balancer the choice among endpoints
 * @param policy which endpoints a client may be connected to
 * @param dialTimeouts the timeout of each dial, in order; after the last one the client is reset
 * @param halfCloseLinger how long a half-closed connection may stay without traffic
 * @param connectionsMax open TCP connections, at least 1; further ones are reset at once. If descriptors run out first,
 *     accepting pauses until some are free
 * @param waitingBytesMax bytes that may wait for slow readers, at least 1, divided evenly among the event loops; beyond
 *     it connections with slow readers are reset
 * @param udpTimeout how long a UDP flow may stay without a datagram
 * @param flowsMax open UDP flows, at least 1; beyond it the longest silent flow of the event loop with the most flows
 *     ends
 * @param drainRemovedEndpoints how long connections may go on to an endpoint that no slice has any more; empty for no
 *     limit
 * @param drainTimeout how long connections may go on when the proxy ends; zero ends them at once
 * @param clusterCidrs the networks of pods; {@code externalTrafficPolicy: Local} does not apply to pods
 * @param podsOfNodes whether the {@code spec.podCIDRs} of all known Nodes are networks of pods too
 * @param nodePorts the node's addresses that serve node ports
 * @param keepsClientAddress whether endpoints see the client's address where their answers come back through this node
 * @param accessLog whether each connection is logged at its end
 */
public record RelayConfig(
        IpAddress bindAddress,
        Optional<PortRange> portRange,
        int eventLoops,
        boolean usesIoUring,
        Balancer balancer,
        ConnectionPolicy policy,
        List<Duration> dialTimeouts,
        Duration halfCloseLinger,
        int connectionsMax,
        long waitingBytesMax,
        Duration udpTimeout,
        int flowsMax,
        Optional<Duration> drainRemovedEndpoints,
        Duration drainTimeout,
        List<Cidr> clusterCidrs,
        boolean podsOfNodes,
        NodePortAddresses nodePorts,
        boolean keepsClientAddress,
        boolean accessLog) {

    /** The tries of kube-proxy's userspace mode ({@code EndpointDialTimeouts}). */
    public static final List<Duration> DIAL_TIMEOUTS =
            List.of(Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2));

    /** The kernel's own timeout of a half-closed connection ({@code tcp_fin_timeout}). */
    public static final Duration HALF_CLOSE_LINGER = Duration.ofSeconds(60);

    /** Each connection takes two descriptors. It takes a buffer for a direction only while the reader is slow. */
    public static final int CONNECTIONS_MAX = 16_384;

    /** Enough for some 4000 slow readers. The default is at most half of the JVM's heap. */
    public static final long WAITING_BYTES_MAX = 256L << 20;

    /** kube-proxy's default of {@code --udp-timeout}. */
    public static final Duration UDP_TIMEOUT = Duration.ofMillis(250);

    /** Each flow takes a descriptor. */
    public static final int FLOWS_MAX = 4_096;

    private static final IpAddress ANY_IPV4 = IpAddress.parse("0.0.0.0");
    private static final IpAddress ANY_IPV6 = IpAddress.parse("::");

    /** Half of the cores: a relay needs about as much CPU as client and server together. */
    private static final int CORES_PER_EVENT_LOOP = 2;

    /** The defaults: all addresses, no drain time, and the constants above. */
    public static final RelayConfig DEFAULTS = new RelayConfig(
            ANY_IPV4,
            Optional.empty(),
            Math.max(1, Runtime.getRuntime().availableProcessors() / CORES_PER_EVENT_LOOP),
            true,
            Balancer.ROUND_ROBIN,
            ConnectionPolicy.NONE,
            DIAL_TIMEOUTS,
            HALF_CLOSE_LINGER,
            CONNECTIONS_MAX,
            Math.min(WAITING_BYTES_MAX, Runtime.getRuntime().maxMemory() / 2),
            UDP_TIMEOUT,
            FLOWS_MAX,
            Optional.empty(),
            Duration.ZERO,
            List.of(),
            false,
            NodePortAddresses.ALL,
            false,
            false);

    /** Checks every field. */
    public RelayConfig {
        dialTimeouts = List.copyOf(dialTimeouts);
        clusterCidrs = List.copyOf(clusterCidrs);
        check(eventLoops >= 1, "eventLoops", eventLoops, ">= 1");
        check(
                !dialTimeouts.isEmpty() && dialTimeouts.stream().allMatch(RelayConfig::isTimeout),
                "dialTimeouts",
                dialTimeouts,
                "one or more of 1 ms to 1 h");
        check(isTimeout(halfCloseLinger), "halfCloseLinger", halfCloseLinger, "1 ms to 1 h");
        check(connectionsMax >= 1, "connectionsMax", connectionsMax, ">= 1");
        check(waitingBytesMax >= 1, "waitingBytesMax", waitingBytesMax, ">= 1");
        check(isTimeout(udpTimeout), "udpTimeout", udpTimeout, "1 ms to 1 h");
        check(flowsMax >= 1, "flowsMax", flowsMax, ">= 1");
        check(
                drainRemovedEndpoints.isEmpty() || !drainRemovedEndpoints.get().isNegative(),
                "drainRemovedEndpoints",
                drainRemovedEndpoints,
                "not negative");
        check(!drainTimeout.isNegative(), "drainTimeout", drainTimeout, "not negative");
    }

    /** A copy with a change. */
    public RelayConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.build();
    }

    /** Whether it listens on all addresses. */
    public boolean bindsAny() {
        return bindAddress.equals(ANY_IPV4) || bindAddress.equals(ANY_IPV6);
    }

    /** The address to listen on in a family; empty if the family is excluded. */
    public Optional<IpAddress> bindAddress(IpFamily family) {
        if (bindsAny()) {
            return Optional.of(family == IpFamily.IPV4 ? ANY_IPV4 : ANY_IPV6);
        }
        return Optional.of(bindAddress).filter(address -> address.family() == family);
    }

    private static boolean isTimeout(Duration duration) {
        return duration.toMillis() >= 1 && duration.compareTo(Duration.ofHours(1)) <= 0;
    }

    private static void check(boolean holds, String field, Object value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(field + ": " + value + " (expected: " + expected + ")");
        }
    }

    /** A configuration that is changed. */
    public static final class Draft {
        public IpAddress bindAddress;
        public Optional<PortRange> portRange;
        public int eventLoops;
        public boolean usesIoUring;
        public Balancer balancer;
        public ConnectionPolicy policy;
        public List<Duration> dialTimeouts;
        public Duration halfCloseLinger;
        public int connectionsMax;
        public long waitingBytesMax;
        public Duration udpTimeout;
        public int flowsMax;
        public Optional<Duration> drainRemovedEndpoints;
        public Duration drainTimeout;
        public List<Cidr> clusterCidrs;
        public boolean podsOfNodes;
        public NodePortAddresses nodePorts;
        public boolean keepsClientAddress;
        public boolean accessLog;

        /** Begins with these values. */
        public Draft(RelayConfig config) {
            bindAddress = config.bindAddress;
            portRange = config.portRange;
            eventLoops = config.eventLoops;
            usesIoUring = config.usesIoUring;
            balancer = config.balancer;
            policy = config.policy;
            dialTimeouts = config.dialTimeouts;
            halfCloseLinger = config.halfCloseLinger;
            connectionsMax = config.connectionsMax;
            waitingBytesMax = config.waitingBytesMax;
            udpTimeout = config.udpTimeout;
            flowsMax = config.flowsMax;
            drainRemovedEndpoints = config.drainRemovedEndpoints;
            drainTimeout = config.drainTimeout;
            clusterCidrs = config.clusterCidrs;
            podsOfNodes = config.podsOfNodes;
            nodePorts = config.nodePorts;
            keepsClientAddress = config.keepsClientAddress;
            accessLog = config.accessLog;
        }

        /**
         * The configuration with the values as they are now.
         *
         * @throws IllegalArgumentException if a value is out of bounds; the message names it
         */
        public RelayConfig build() {
            return new RelayConfig(
                    bindAddress,
                    portRange,
                    eventLoops,
                    usesIoUring,
                    balancer,
                    policy,
                    dialTimeouts,
                    halfCloseLinger,
                    connectionsMax,
                    waitingBytesMax,
                    udpTimeout,
                    flowsMax,
                    drainRemovedEndpoints,
                    drainTimeout,
                    clusterCidrs,
                    podsOfNodes,
                    nodePorts,
                    keepsClientAddress,
                    accessLog);
        }
    }
}
