package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;

/**
 * An endpoint of a Service.
 *
 * @param hostname empty if it has none
 * @param ports of the endpoint
 */
record DnsEndpoint(IpAddress address, String hostname, boolean ready, List<DnsPort> ports) {
    DnsEndpoint {
        ports = List.copyOf(ports);
    }

    /** The label of the endpoint's own name: the hostname, or the address with dashes as in CoreDNS. */
    String label() {
        if (!hostname.isEmpty()) {
            return hostname;
        }
        String text = address.toString();
        return text.replace(address.family() == IpFamily.IPV4 ? '.' : ':', '-');
    }
}
