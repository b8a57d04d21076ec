package dev.nodepath.proxy.userspace.metrics;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * What an endpoint of a service port has carried, at about one moment.
 *
 * @param address the endpoint
 * @param traffic to and from it
 * @param active connections, or UDP flows, that are open now
 * @param ejected whether it has failed too often in a row to be chosen like the others
 * @param dialTimes connections opened by the time that took: for each of {@link DialTimes#BOUNDS_MICROS} those that took
 *     no longer and longer than the bound before, and last those that took longer than all bounds
 */
public record EndpointCounts(
        InetSocketAddress address, TrafficCounts traffic, int active, boolean ejected, List<Long> dialTimes) {
    /** Copies the list. */
    public EndpointCounts {
        dialTimes = List.copyOf(dialTimes);
    }
}
