package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** ServiceSnapshots for tests, one Service after the other. */
public final class ServiceSnapshots {
    private final SortedMap<ServicePortName, ServicePort> services = new TreeMap<>();
    private final Map<ServicePortName, List<Endpoint>> endpoints = new HashMap<>();
    private final SortedMap<String, NodeInfo> nodes = new TreeMap<>();

    public static ServicePortName name(String service) {
        return new ServicePortName(new NamespacedName("ns", service), "http", Protocol.TCP);
    }

    public static Endpoint endpoint(String ipAndPort) {
        String[] parts = ipAndPort.split(":", 2);
        return Endpoint.ready(IpAddress.parse(parts[0]), Integer.parseInt(parts[1]), "node-a");
    }

    public static List<IpAddress> ips(String... ips) {
        return Stream.of(ips).map(IpAddress::parse).toList();
    }

    ServiceSnapshots node(String name, String... addresses) {
        nodes.put(name, new NodeInfo(name, "", ips(addresses), List.of()));
        return this;
    }

    /** A Node with these networks of pods. */
    ServiceSnapshots node(String name, List<String> podCidrs, String... addresses) {
        List<Cidr> networks = podCidrs.stream().map(Cidr::parse).toList();
        nodes.put(name, new NodeInfo(name, "", ips(addresses), networks));
        return this;
    }

    /** A Service with a cluster IP alone. */
    public ServiceSnapshots service(String service, String clusterIp, int port, Endpoint... ready) {
        return add(new ServicePort(name(service), ips(clusterIp), port, 0, List.of(), List.of()), ready);
    }

    public ServiceSnapshots add(ServicePort service, Endpoint... listed) {
        services.put(service.name(), service);
        endpoints.remove(service.name());
        if (listed.length > 0) {
            endpoints.put(service.name(), List.of(listed));
        }
        return this;
    }

    ServiceSnapshots remove(String service) {
        services.remove(name(service));
        endpoints.remove(name(service));
        return this;
    }

    public ServiceSnapshot build() {
        return new ServiceSnapshot(services, endpoints, nodes);
    }
}
