package dev.nodepath.endpoints;

/** Which endpoints traffic of one kind may reach: {@code internalTrafficPolicy}, {@code externalTrafficPolicy}. */
public enum TrafficPolicy {
    /** Those of the whole cluster. */
    CLUSTER,
    /** Only those on the node that the traffic comes to. */
    LOCAL
}
