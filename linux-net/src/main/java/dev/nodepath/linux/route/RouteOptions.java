package dev.nodepath.linux.route;

import java.util.Optional;

/**
 * What a route may have beside destination and next hop; what is empty is left to the kernel.
 *
 * @param mtu of packets that take it, in bytes
 * @param advmss the segment size that TCP announces on it, in bytes
 * @param priority its metric; the lowest wins
 * @param table the routing table; the main one if empty
 * @param scope the kernel's number: 0 universe, 253 link, 254 host
 * @param protocol who made it ({@code RTPROT_*}): "static" if empty when it is added, any when it is deleted
 * @param onLink whether the gateway is taken to be on the link although no other route says so
 */
public record RouteOptions(
        Optional<Integer> mtu,
        Optional<Integer> advmss,
        Optional<Integer> priority,
        Optional<Integer> table,
        Optional<Integer> scope,
        Optional<Integer> protocol,
        boolean onLink) {
    /** All left to the kernel. */
    public static final RouteOptions DEFAULT =
            new RouteOptions(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Of protocol "static", through a gateway that is on the link. */
    public RouteOptions(
            Optional<Integer> mtu,
            Optional<Integer> advmss,
            Optional<Integer> priority,
            Optional<Integer> table,
            Optional<Integer> scope) {
        this(mtu, advmss, priority, table, scope, Optional.empty(), false);
    }

    /** All left to the kernel but these. */
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
}
