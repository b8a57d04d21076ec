package dev.nodepath.linux.route;

import java.util.Optional;

/**
 * The options of a route. The kernel chooses values for empty ones.
 *
 * @param mtu of its packets, in bytes
 * @param advmss the segment size that TCP announces on it, in bytes
 * @param priority its metric; the lowest wins
 * @param table the routing table; the main one if empty
 * @param scope the kernel's number: 0 universe, 253 link, 254 host
 * @param protocol the program that made it ({@code RTPROT_*}): if empty, "static" for a new route, any for a deletion
 * @param onLink whether the gateway counts as on the link without another route to it
 */
public record RouteOptions(
        Optional<Integer> mtu,
        Optional<Integer> advmss,
        Optional<Integer> priority,
        Optional<Integer> table,
        Optional<Integer> scope,
        Optional<Integer> protocol,
        boolean onLink) {
    /** No options. */
    public static final RouteOptions DEFAULT =
            new RouteOptions(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Protocol "static", through an on-link gateway. */
    public RouteOptions(
            Optional<Integer> mtu,
            Optional<Integer> advmss,
            Optional<Integer> priority,
            Optional<Integer> table,
            Optional<Integer> scope) {
        this(mtu, advmss, priority, table, scope, Optional.empty(), false);
    }

    /** Options with this protocol and on-link flag, and defaults otherwise. */
    public static RouteOptions of(int protocol, boolean onLink) {
        return new RouteOptions(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(protocol),
                onLink);
    }

    /** The same with this metric; the kernel chooses it if it is empty. */
    public RouteOptions withPriority(Optional<Integer> metric) {
        return new RouteOptions(mtu, advmss, metric, table, scope, protocol, onLink);
    }
}
