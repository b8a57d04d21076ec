package dev.nodepath.endpoints;

/**
 * The state of an endpoint in an EndpointSlice, without its address. Thousands of endpoints of one node share one
 * value.
 *
 * @param nodeName the node the pod runs on; empty if the slice does not say
 * @param ready whether it takes new connections
 * @param serving whether it can serve connections, even while it is terminating
 * @param terminating whether the pod is being deleted
 * @param hints the topology hints
 */
public record EndpointState(
        String nodeName, boolean ready, boolean serving, boolean terminating, TopologyHints hints) {}
