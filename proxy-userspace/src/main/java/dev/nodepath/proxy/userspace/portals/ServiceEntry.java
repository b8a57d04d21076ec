package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.address.IpAddress;
import java.util.function.Predicate;

/** The kind of address that a client uses for a Service. Traffic policies and source ranges depend on it. */
public enum ServiceEntry {
    /** Through a cluster IP. */
    CLUSTER_IP,
    /** Through an external IP or a node port. */
    EXTERNAL,
    /** Through a load balancer IP, to which source ranges apply. */
    LOAD_BALANCER;

    /**
     * Whether a client's connection may go only to endpoints of this node.
     *
     * @param inside whether an address is a pod's or this node's own; {@code externalTrafficPolicy: Local} does not
     *     apply to such a client
     */
    public boolean isLocalOnly(ServicePort service, Predicate<IpAddress> inside, IpAddress client) {
        return this == CLUSTER_IP
                ? service.internalPolicyLocal()
                : service.externalPolicyLocal() && !inside.test(client);
    }
}
