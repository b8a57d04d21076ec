package dev.nodepath.proxy.userspace.portals;

/** The kind of address that a client uses for a Service. Traffic policies and source ranges depend on it. */
public enum ServiceEntry {
    /** Through a cluster IP. */
    CLUSTER_IP,
    /** Through an external IP or a node port. */
    EXTERNAL,
    /** Through a load balancer IP, to which source ranges apply. */
    LOAD_BALANCER
}
