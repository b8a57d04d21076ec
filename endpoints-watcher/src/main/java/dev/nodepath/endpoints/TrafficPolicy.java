package dev.nodepath.endpoints;

/** The endpoints that traffic may reach: {@code internalTrafficPolicy}, {@code externalTrafficPolicy}. */
public enum TrafficPolicy {
    /** The endpoints of the whole cluster. */
    CLUSTER,
    /** Only the endpoints on the node that receives the traffic. */
    LOCAL
}
