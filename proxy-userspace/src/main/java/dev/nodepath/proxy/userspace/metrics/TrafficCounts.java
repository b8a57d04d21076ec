package dev.nodepath.proxy.userspace.metrics;

/**
 * The traffic of an endpoint or service port since its start. The values are from about one moment.
 *
 * @param opened connections and flows that were opened
 * @param failed dials that failed
 * @param bytesFromClients payload bytes that clients have sent
 * @param bytesToClients payload bytes that endpoints have sent
 */
public record TrafficCounts(long opened, long failed, long bytesFromClients, long bytesToClients) {}
