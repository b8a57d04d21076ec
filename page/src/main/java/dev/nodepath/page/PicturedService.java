package dev.nodepath.page;

import java.util.List;

/**
 * A Service and its endpoints.
 *
 * @param id {@code NAME}, or {@code NAME.NAMESPACE} outside of {@code default}, as commands take it
 * @param type such as {@code ClusterIP}
 * @param addresses its cluster IPs; empty for a headless one
 * @param ports in the order of the object
 * @param endpoints of its EndpointSlices, in the order of their addresses
 * @param policies fields that steer its traffic, such as {@code externalTrafficPolicy: Local}; defaults are left out
 */
public record PicturedService(
        String id,
        String type,
        List<String> addresses,
        List<PortPart> ports,
        List<EndpointPart> endpoints,
        List<String> policies)
        implements Pictured {
    public PicturedService {
        addresses = List.copyOf(addresses);
        ports = List.copyOf(ports);
        endpoints = List.copyOf(endpoints);
        policies = List.copyOf(policies);
    }

    /**
     * A port.
     *
     * @param name empty if it has none
     * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
     * @param port on the cluster IP
     * @param nodePort on every node; 0 if it has none
     */
    public record PortPart(String name, String protocol, int port, int nodePort) {}

    /**
     * An endpoint.
     *
     * @param address of it
     * @param pod the {@code id} of its Pod; empty without a Pod
     * @param state {@code ready}, {@code ending} (it still serves, but is being deleted) or {@code unready}
     */
    public record EndpointPart(String address, String pod, String state) {}
}
