package dev.nodepath.endpoints;

import dev.nodepath.linux.IpFamily;
import java.util.List;

/** Which endpoints of a service port take new connections. Pure functions, shared by all proxy modes. */
public final class EndpointSelection {
    private EndpointSelection() {}

    /** The endpoints of one family that take new connections from anywhere in the cluster: the ready ones, in order. */
    public static List<Endpoint> clusterEndpoints(ServiceSnapshot snapshot, ServicePortName name, IpFamily family) {
        return snapshot.endpoints(name, family).stream().filter(Endpoint::ready).toList();
    }
}
