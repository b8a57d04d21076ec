package dev.nodepath.proxy.userspace.config;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.balance.Balancer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How the relay works.
 *
 * @param bindAddress where it listens; {@code 0.0.0.0} or {@code ::} is everywhere, in both families; any other address
 *     leaves the other family out
 * @param portRange the ports that it may listen on; empty if the kernel may choose
 * @param eventLoops threads that carry the traffic, at least 1
 * @param balancer how connections are shared out
 * @param dialTimeouts how long each try of an endpoint may take, in order; after the last one the client is reset
 * @param halfCloseLinger how long a connection that one side has ended may stay without any traffic
 * @param connectionsMax TCP connections at one time, at least 1; further ones are reset at once. Where descriptors are
 *     fewer, accepting pauses until some are free
 * @param waitingBytesMax bytes that may wait for slow readers, at least 1, shared out evenly to the event loops; beyond it
 *     connections with slow readers are reset
 * @param udpTimeout how long a UDP flow may stay without any datagram
 * @param flowsMax UDP flows at one time, at least 1; beyond that the one ends that was silent longest on the event loop
 *     that has the most
 * @param drainRemovedEndpoints how long connections to an endpoint may go on that is in no slice any more; empty if for
 *     as long as they like
 * @param drainTimeout how long connections may go on when the proxy ends; zero ends them at once
 * @param clusterCidrs where pods are: {@code externalTrafficPolicy: Local} does not apply to them
 * @param nodePorts on which of the node's addresses node ports are served
 * @param accessLog whether each connection is logged when it has ended
 */
public record RelayConfig(
        IpAddress bindAddress,
        Optional<PortRange> portRange,
        int eventLoops,
        Balancer balancer,
        List<Duration> dialTimeouts,
        Duration halfCloseLinger,
        int connectionsMax,
        long waitingBytesMax,
        Duration udpTimeout,
        int flowsMax,
        Optional<Duration> drainRemovedEndpoints,
        Duration drainTimeout,
        List<Cidr> clusterCidrs,
        NodePortAddresses nodePorts,
        boolean accessLog) {

    /** The tries of kube-proxy's userspace mode ({@code EndpointDialTimeouts}). */
    public static final List<Duration> DIAL_TIMEOUTS =
            List.of(Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2));

    /**
     * The kernel's own patience with a connection that only the other side may still close ({@code tcp_fin_timeout}).
     */
    public static final Duration HALF_CLOSE_LINGER = Duration.ofSeconds(60);

    /** Each connection takes two descriptors, and memory only while a side is slow: a buffer for each direction. */
    public static final int CONNECTIONS_MAX = 16_384;

    /** Some 4000 slow readers; where the JVM may hold less, half of that. */
    public static final long WAITING_BYTES_MAX = 256L << 20;

    /** As in kube-proxy ({@code --udp-timeout}). */
    public static final Duration UDP_TIMEOUT = Duration.ofMillis(250);

    /** Each flow takes a descriptor. */
    public static final int FLOWS_MAX = 4_096;

    private static final IpAddress ANY_IPV4 = IpAddress.parse("0.0.0.0");
    private static final IpAddress ANY_IPV6 = IpAddress.parse("::");

    /** A relay needs about as much CPU as client and server together, so half the cores are its share. */
    private static final int CORES_PER_EVENT_LOOP = 2;

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

    /** Listens on all addresses and ends at once; everything else as the constants say. */
    public static RelayConfig defaults() {
        int eventLoops = Math.max(1, Runtime.getRuntime().availableProcessors() / CORES_PER_EVENT_LOOP);
        return new RelayConfig(
                ANY_IPV4,
                Optional.empty(),
                eventLoops,
                Balancer.ROUND_ROBIN,
                DIAL_TIMEOUTS,
                HALF_CLOSE_LINGER,
                CONNECTIONS_MAX,
                Math.min(WAITING_BYTES_MAX, Runtime.getRuntime().maxMemory() / 2),
                UDP_TIMEOUT,
                FLOWS_MAX,
                Optional.empty(),
                Duration.ZERO,
                List.of(),
                NodePortAddresses.ALL,
                false);
    }

    /** A builder that begins with these values. */
    public RelayConfigBuilder change() {
        return new RelayConfigBuilder(this);
    }

    /** Whether it listens on all addresses. */
    public boolean bindsAny() {
        return bindAddress.equals(ANY_IPV4) || bindAddress.equals(ANY_IPV6);
    }

    /** Where it listens in one family; empty if nowhere. */
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
}
