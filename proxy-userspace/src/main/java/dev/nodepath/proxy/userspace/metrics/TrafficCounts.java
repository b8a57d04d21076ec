package dev.nodepath.proxy.userspace.metrics;

/**
 * What has gone somewhere since it was first known, at about one moment.
 *
 * @param opened connections and flows that came about
 * @param failed tries that did not
 * @param bytesFromClients payload
 * @param bytesToClients payload
 */
public record TrafficCounts(long opened, long failed, long bytesFromClients, long bytesToClients) {}
