package dev.nodepath.linux;

import java.util.Optional;

/**
 * What a route may have beside destination and next hop; what is empty is left to the kernel.
 *
 * @param mtu of packets that take it, in bytes
 * @param advmss the segment size that TCP announces on it, in bytes
 * @param priority its metric; the lowest wins
 * @param table the routing table; the main one if empty
 * @param scope the kernel's number: 0 universe, 253 link, 254 host
 */
public record RouteOptions(
        Optional<Integer> mtu,
        Optional<Integer> advmss,
        Optional<Integer> priority,
        Optional<Integer> table,
        Optional<Integer> scope) {
    /** All left to the kernel. */
    public static final RouteOptions DEFAULT =
            new RouteOptions(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
