package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;
import java.util.List;

/**
 * A Service as DNS needs it.
 *
 * @param kind how its name is answered
 * @param clusterIps empty unless the kind is CLUSTER_IP
 * @param externalName empty unless the kind is EXTERNAL_NAME
 * @param ports of the Service itself; a headless Service's come from its endpoints
 * @param publishNotReady whether endpoints that are not ready have names
 */
record DnsService(
        ServiceName name,
        Kind kind,
        List<IpAddress> clusterIps,
        String externalName,
        List<DnsPort> ports,
        boolean publishNotReady) {

    /** How a Service's name is answered. */
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
