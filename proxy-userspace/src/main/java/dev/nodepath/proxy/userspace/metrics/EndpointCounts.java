package dev.nodepath.proxy.userspace.metrics;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * The traffic of an endpoint of a service port. The values are from about one moment.
 *
 * @param address the endpoint
 * @param traffic to and from the endpoint
 * @param active open connections or UDP flows
 * @param dialTimes the histogram of dial durations: the count of each bucket of {@link DialTimes#BOUNDS_MICROS}, and
 *     last the count above all bounds
 */
public record EndpointCounts(InetSocketAddress address, TrafficCounts traffic, int active, List<Long> dialTimes) {
    public EndpointCounts {
        dialTimes = List.copyOf(dialTimes);
    }
}
