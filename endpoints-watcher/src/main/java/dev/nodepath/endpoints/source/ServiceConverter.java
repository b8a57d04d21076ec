package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.Service;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Converts {@code v1} Services. It leaves out unusable entries, and takes the rest of the object. Not thread-safe. */
public final class ServiceConverter {
    /** The first value of each list is the default. */
    private static final List<String> TYPES = List.of("ClusterIP", "NodePort", "LoadBalancer", "ExternalName");

    private static final List<String> TRAFFIC_POLICIES = List.of("Cluster", "Local");
    private static final List<String> AFFINITIES = List.of("None", "ClientIP");
    private static final List<String> IP_MODES = List.of("VIP", "Proxy");
    private static final List<String> PROTOCOLS = List.of("TCP", "UDP", "SCTP");

    private final SharedValues values = new SharedValues();

    /** Converts Services. */
    public ServiceConverter() {}

    /**
     * Converts a Service. If there is nothing to proxy, it has no ports. Names must be DNS labels: they go into
     * comments of rules, where another text would make the whole rule set invalid.
     */
    public List<Service> convert(NamespacedName name, Fields service) {
        Fields metadata = service.object("metadata");
        if (!metadata.isLabel("name", name.name()) || !metadata.isLabel("namespace", name.namespace())) {
            return List.of();
        }
        Fields spec = service.object("spec");
        String type = spec.oneOf("type", TYPES);
        List<IpAddress> clusterIps = type.equals("ExternalName") ? List.of() : clusterIps(spec);
        if (clusterIps.isEmpty()) {
            return List.of(new Service(name, List.of()));
        }
        List<IpAddress> externalIps = ofFamily(clusterIps, spec.ips("externalIPs"));
        List<IpAddress> loadBalancerIps = loadBalancerIps(clusterIps, service);
        ServicePolicy policy = values.shared(policy(spec, type));
        List<ServicePort> ports = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> numbers = new HashSet<>();
        for (Fields port : spec.objects("ports")) {
            Optional<Protocol> protocol = protocol(port);
            int number = port.port("port");
            String label = port.text("name");
            if (protocol.isEmpty() || number == 0 || (!label.isEmpty() && !port.isLabel("name", label))) {
                continue;
            }
            ServicePortName portName = new ServicePortName(name, values.shared(label), protocol.get());
            if (!names.add(portName.port())) {
                port.problem("name", portName.port(), "a name that no other port of the Service has");
            } else if (!numbers.add(number + "/" + portName.protocol())) {
                port.problem("port", number, "a number that no other " + portName.protocol() + " port has");
            } else {
                int nodePort = port.optionalPort("nodePort");
                ports.add(
                        new ServicePort(portName, clusterIps, number, nodePort, externalIps, loadBalancerIps, policy));
            }
        }
        return List.of(new Service(name, ports));
    }

    /** The protocol of a port of a Service or slice. */
    static Optional<Protocol> protocol(Fields port) {
        String text = port.text("protocol");
        if (text.isEmpty() || PROTOCOLS.contains(text)) {
            return Optional.of(text.isEmpty() ? Protocol.TCP : Protocol.valueOf(text));
        }
        port.problem("protocol", text, String.join(", ", PROTOCOLS));
        return Optional.empty();
    }

    /** {@code clusterIPs}, or {@code clusterIP} of old objects; empty for a headless Service. */
    private static List<IpAddress> clusterIps(Fields spec) {
        String only = spec.text("clusterIP");
        if (only.equals("None") || spec.json("clusterIPs").path(0).asText("").equals("None")) {
            return List.of();
        }
        if (spec.hasItems("clusterIPs")) {
            return spec.ips("clusterIPs");
        }
        return only.isEmpty() ? List.of() : spec.ip("clusterIP").map(List::of).orElse(List.of());
    }

    private static List<IpAddress> loadBalancerIps(List<IpAddress> clusterIps, Fields service) {
        List<IpAddress> ips = new ArrayList<>();
        Fields loadBalancer = service.object("status").object("loadBalancer");
        for (Fields ingress : loadBalancer.objects("ingress")) {
            if (ingress.has("ip")
                    && !ingress.text("ip").isEmpty()
                    && !ingress.oneOf("ipMode", IP_MODES).equals("Proxy")) {
                ingress.ip("ip").ifPresent(ips::add);
            }
        }
        return ofFamily(clusterIps, ips);
    }

    /**
     * The addresses of a family that the Service has. The others are ignored without a problem: a load balancer of both
     * families may serve a Service of one.
     */
    private static List<IpAddress> ofFamily(List<IpAddress> clusterIps, List<IpAddress> ips) {
        return ips.stream()
                .filter(ip -> clusterIps.stream().anyMatch(one -> one.family() == ip.family()))
                .toList();
    }

    private static ServicePolicy policy(Fields spec, String type) {
        return new ServicePolicy(
                switch (type) {
                    case "LoadBalancer" -> ServiceType.LOAD_BALANCER;
                    case "NodePort" -> ServiceType.NODE_PORT;
                    default -> ServiceType.CLUSTER_IP;
                },
                trafficPolicy(spec, "internalTrafficPolicy"),
                trafficPolicy(spec, "externalTrafficPolicy"),
                affinitySeconds(spec),
                spec.cidrs("loadBalancerSourceRanges"),
                spec.optionalPort("healthCheckNodePort"));
    }

    private static TrafficPolicy trafficPolicy(Fields spec, String field) {
        return spec.oneOf(field, TRAFFIC_POLICIES).equals("Local") ? TrafficPolicy.LOCAL : TrafficPolicy.CLUSTER;
    }

    private static int affinitySeconds(Fields spec) {
        return spec.oneOf("sessionAffinity", AFFINITIES).equals("ClientIP")
                ? spec.object("sessionAffinityConfig")
                        .object("clientIP")
                        .number(
                                "timeoutSeconds",
                                1,
                                ServicePolicy.MAX_AFFINITY_SECONDS,
                                ServicePolicy.DEFAULT_AFFINITY_SECONDS)
                : 0;
    }
}
