package dev.nodepath.endpoints;

/**
 * What an EndpointSlice says of an endpoint besides its address. Thousands of endpoints of one node share one value.
 *
 * @param nodeName the node the pod runs on; empty if the slice does not say
 * @param ready whether it takes new connections
 * @param serving whether it would, were it not terminating
 * @param terminating whether the pod is being deleted
 * @param hints for whom it is meant
 */
public record EndpointState(
        String nodeName, boolean ready, boolean serving, boolean terminating, TopologyHints hints) {}
