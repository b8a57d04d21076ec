package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;
import java.util.List;

/**
 * A Service, with the fields that DNS needs.
 *
 * @param kind the form of its answers
 * @param clusterIps empty unless the kind is CLUSTER_IP
 * @param externalName empty unless the kind is EXTERNAL_NAME
 * @param ports of the Service itself; a headless Service takes the ports of its endpoints
 * @param publishNotReady whether unready endpoints have names
 */
record DnsService(
        ServiceName name,
        Kind kind,
        List<IpAddress> clusterIps,
        String externalName,
        List<DnsPort> ports,
        boolean publishNotReady) {

    /** The form of the answers to a Service's name. */
    enum Kind {
        CLUSTER_IP,
        HEADLESS,
        EXTERNAL_NAME
    }

    DnsService {
        clusterIps = List.copyOf(clusterIps);
        ports = List.copyOf(ports);
    }
}
