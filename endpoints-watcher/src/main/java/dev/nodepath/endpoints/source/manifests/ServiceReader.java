package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.endpoints.tracker.Service;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads a Service ({@code v1}); what proxies do not use, such as targetPort, is not looked at. */
final class ServiceReader {
    static final int MAX_PORT = 65535;

    /** RFC 1123, as Kubernetes wants names of Services, their ports and namespaces. */
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    private static final String EXTERNAL_NAME = "ExternalName";
    private static final List<String> TYPES = List.of("ClusterIP", "NodePort", "LoadBalancer", EXTERNAL_NAME);
    private static final List<String> TRAFFIC_POLICIES = List.of("Cluster", "Local");
    private static final List<String> AFFINITIES = List.of("None", "ClientIP");
    private static final List<String> PROTOCOLS = List.of("TCP", "UDP", "SCTP");

    private ServiceReader() {}

    static Service read(ManifestObject object) throws ManifestException {
        NamespacedName name = name(object);
        ManifestNode spec = object.root().get("spec");
        String type = spec.get("type").asOneOf(TYPES, "ClusterIP");
        List<IpAddress> clusterIps = clusterIps(spec);
        List<IpAddress> externalIps = ips(spec.get("externalIPs"));
        List<IpAddress> loadBalancerIps = loadBalancerIps(object.root().get("status"));
        ServicePolicy policy = policy(spec, type);
        List<ServicePort> ports = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> numbers = new HashSet<>();
        for (ManifestNode port : spec.get("ports").items()) {
            ServicePortName portName =
                    new ServicePortName(name, portName(port.get("name")), protocol(port.get("protocol")));
            int number = port.get("port").asInt(1, MAX_PORT);
            int nodePort = port.get("nodePort").asInt(0, MAX_PORT, 0);
            if (!names.add(portName.port())) {
                throw port.get("name").expected("a name that no other port of the Service has");
            }
            if (!numbers.add(number + "/" + portName.protocol())) {
                throw port.get("port").expected("a number that no other " + portName.protocol() + " port has");
            }
            ports.add(new ServicePort(portName, clusterIps, number, nodePort, externalIps, loadBalancerIps, policy));
        }
        boolean proxied = !clusterIps.isEmpty() && !type.equals(EXTERNAL_NAME);
        return new Service(name, proxied ? ports : List.of());
    }

    private static ServicePolicy policy(ManifestNode spec, String type) throws ManifestException {
        List<Cidr> sourceRanges = new ArrayList<>();
        for (ManifestNode range : spec.get("loadBalancerSourceRanges").items()) {
            sourceRanges.add(range.asCidr());
        }
        return new ServicePolicy(
                        switch (type) {
                            case "LoadBalancer" -> ServiceType.LOAD_BALANCER;
                            case "NodePort" -> ServiceType.NODE_PORT;
                            default -> ServiceType.CLUSTER_IP;
                        },
                        trafficPolicy(spec.get("internalTrafficPolicy")),
                        trafficPolicy(spec.get("externalTrafficPolicy")),
                        affinitySeconds(spec),
                        sourceRanges,
                        spec.get("healthCheckNodePort").asInt(0, MAX_PORT, 0))
                .shared();
    }

    private static TrafficPolicy trafficPolicy(ManifestNode node) throws ManifestException {
        return node.asOneOf(TRAFFIC_POLICIES, "Cluster").equals("Local") ? TrafficPolicy.LOCAL : TrafficPolicy.CLUSTER;
    }

    private static int affinitySeconds(ManifestNode spec) throws ManifestException {
        if (!spec.get("sessionAffinity").asOneOf(AFFINITIES, "None").equals("ClientIP")) {
            return 0;
        }
        return spec.get("sessionAffinityConfig")
                .get("clientIP")
                .get("timeoutSeconds")
                .asInt(1, ServicePolicy.MAX_AFFINITY_SECONDS, ServicePolicy.DEFAULT_AFFINITY_SECONDS);
    }

    /** Names end up in comments of rules: what is no DNS label would make every rule set with it invalid. */
    private static NamespacedName name(ManifestObject object) throws ManifestException {
        ManifestNode metadata = object.root().get("metadata");
        requireLabel(metadata.get("namespace"), object.namespace());
        return new NamespacedName(
                object.namespace(),
                requireLabel(metadata.get("name"), metadata.get("name").asString()));
    }

    private static String portName(ManifestNode node) throws ManifestException {
        String name = node.asString("");
        return name.isEmpty() ? name : requireLabel(node, name);
    }

    private static String requireLabel(ManifestNode node, String text) throws ManifestException {
        if (!LABEL.matcher(text).matches()) {
            throw node.expected("a DNS label: at most 63 of a-z, 0-9 and -");
        }
        return text;
    }

    static Protocol protocol(ManifestNode node) throws ManifestException {
        return Protocol.valueOf(node.asOneOf(PROTOCOLS, "TCP"));
    }

    /** None for a headless Service, whose cluster IP is the word None, and for one that has not been given an IP. */
    private static List<IpAddress> clusterIps(ManifestNode spec) throws ManifestException {
        List<ManifestNode> all = spec.get("clusterIPs").items();
        List<IpAddress> ips = new ArrayList<>();
        for (ManifestNode ip : all.isEmpty() ? List.of(spec.get("clusterIP")) : all) {
            String text = ip.asString("");
            if (!text.isEmpty() && !text.equals("None")) {
                ips.add(ip.asIp());
            }
        }
        return ips;
    }

    private static List<IpAddress> loadBalancerIps(ManifestNode status) throws ManifestException {
        List<IpAddress> ips = new ArrayList<>();
        for (ManifestNode ingress : status.get("loadBalancer").get("ingress").items()) {
            boolean vip = ingress.get("ipMode")
                    .asOneOf(List.of("VIP", "Proxy"), "VIP")
                    .equals("VIP");
            if (!ingress.get("ip").isAbsent()) {
                IpAddress ip = ingress.get("ip").asIp();
                if (vip) {
                    ips.add(ip);
                }
            }
        }
        return ips;
    }

    private static List<IpAddress> ips(ManifestNode list) throws ManifestException {
        List<IpAddress> ips = new ArrayList<>();
        for (ManifestNode ip : list.items()) {
            ips.add(ip.asIp());
        }
        return ips;
    }
}
