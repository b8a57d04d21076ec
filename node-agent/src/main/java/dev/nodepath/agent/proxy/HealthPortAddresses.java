package dev.nodepath.agent.proxy;

import dev.nodepath.agent.http.ServiceHealthPorts;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;

/**
 * The addresses of health check node ports, which are the addresses of node ports. If one served family is not
 * restricted, these are all addresses of both families. kube-proxy does so too: neither Go nor the JDK can bind the
 * wildcard of only one family.
 */
final class HealthPortAddresses implements ServiceHealthPorts.Addresses {
    /** The JDK binds it to both families where there are two. */
    private static final IpAddress ANY = IpAddress.parse("0.0.0.0");

    private final NetworkNamespace namespace;
    private final NodePortAddresses nodePorts;
    private final List<IpFamily> families;
    private final String node;

    /** The addresses of a node, which are read again each time. */
    HealthPortAddresses(NetworkNamespace namespace, NodePortAddresses nodePorts, List<IpFamily> families, String node) {
        this.namespace = namespace;
        this.nodePorts = nodePorts;
        this.families = List.copyOf(families);
        this.node = node;
    }

    @Override
    public List<IpAddress> of(ServiceSnapshot snapshot) throws LinuxNetException {
        NodeInfo known = snapshot.nodes().get(node);
        if (families.stream().anyMatch(family -> nodePorts.isAll(family, known))) {
            return List.of(ANY);
        }
        List<IpAddress> host = namespace.addresses().stream()
                .filter(found -> !found.tentative() && !found.duplicate())
                .map(InterfaceAddress::address)
                .map(cidr -> cidr.address())
                .filter(address -> !needsScope(address))
                .toList();
        return families.stream()
                .flatMap(family -> nodePorts.among(host, family, known).stream())
                .toList();
    }

    /** Link-local addresses of IPv6 cannot be bound without their link, and each pod's link has one. */
    private static boolean needsScope(IpAddress address) {
        return address.family() == IpFamily.IPV6 && address.toInetAddress().isLinkLocalAddress();
    }
}
