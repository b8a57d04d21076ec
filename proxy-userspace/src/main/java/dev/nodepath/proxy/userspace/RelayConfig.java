package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.time.Duration;
import java.util.List;

/**
 * How the relay works.
 *
 * @param bindAddress where it listens; {@code 0.0.0.0} is everywhere
 * @param eventLoops threads that carry the traffic, at least 1
 * @param dialTimeouts how long each try of an endpoint may take, in order; after the last one the client is reset
 * @param halfCloseLinger how long a connection that one side has ended may stay without any traffic
 * @param connectionsMax connections at one time, at least 1; further ones are reset at once
 */
public record RelayConfig(
        IpAddress bindAddress,
        int eventLoops,
        List<Duration> dialTimeouts,
        Duration halfCloseLinger,
        int connectionsMax) {

    /** The tries of kube-proxy's userspace mode ({@code EndpointDialTimeouts}). */
    public static final List<Duration> DIAL_TIMEOUTS =
            List.of(Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2));

    /**
     * The kernel's own patience with a connection that only the other side may still close ({@code tcp_fin_timeout}).
     */
    public static final Duration HALF_CLOSE_LINGER = Duration.ofSeconds(60);

    /** Each connection takes two descriptors and up to a few MiB where both sides are slow. */
    public static final int CONNECTIONS_MAX = 16_384;

    private static final IpAddress ANY = IpAddress.parse("0.0.0.0");

    /** A relay needs about as much CPU as client and server together, so half the cores are its share. */
    private static final int CORES_PER_EVENT_LOOP = 2;

    /** Checks every field. */
    public RelayConfig {
        dialTimeouts = List.copyOf(dialTimeouts);
        check(bindAddress.family() == IpFamily.IPV4, "bindAddress", bindAddress, "an IPv4 address");
        check(eventLoops >= 1, "eventLoops", eventLoops, ">= 1");
        check(
                !dialTimeouts.isEmpty() && dialTimeouts.stream().allMatch(RelayConfig::isTimeout),
                "dialTimeouts",
                dialTimeouts,
                "one or more of 1 ms to 1 h");
        check(isTimeout(halfCloseLinger), "halfCloseLinger", halfCloseLinger, "1 ms to 1 h");
        check(connectionsMax >= 1, "connectionsMax", connectionsMax, ">= 1");
    }

    /** Listens on all addresses; everything else as the constants say. */
    public static RelayConfig defaults() {
        int eventLoops = Math.max(1, Runtime.getRuntime().availableProcessors() / CORES_PER_EVENT_LOOP);
        return new RelayConfig(ANY, eventLoops, DIAL_TIMEOUTS, HALF_CLOSE_LINGER, CONNECTIONS_MAX);
    }

    /** Whether it listens on all addresses. */
    boolean bindsAny() {
        return bindAddress.equals(ANY);
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
