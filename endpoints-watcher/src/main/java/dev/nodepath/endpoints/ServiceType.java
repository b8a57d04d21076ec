package dev.nodepath.endpoints;

/** {@code spec.type} of a Service, without ExternalName, which is not proxied. */
public enum ServiceType {
    CLUSTER_IP,
    NODE_PORT,
    LOAD_BALANCER
}
