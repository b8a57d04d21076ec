package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.EndpointState;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TopologyHints;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.endpoints.source.PaddedAddress;
import dev.nodepath.endpoints.tracker.EndpointSlice;
import dev.nodepath.endpoints.tracker.EndpointSlice.Address;
import dev.nodepath.endpoints.tracker.EndpointSlice.Port;
import dev.nodepath.endpoints.tracker.Service;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import io.fabric8.kubernetes.api.model.EndpointAddress;
import io.fabric8.kubernetes.api.model.EndpointSubset;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.SessionAffinityConfig;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHints;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * From the client's models to our records. An entry that cannot be used is left out and the rest of its object is taken;
 * an object without anything usable becomes nothing. For one thread.
 */
final class ObjectConverter {
    static final int MAX_PORT = 65535;
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String IP = "an IPv4 or IPv6 address";
    private static final String PORT = "1 to " + MAX_PORT;

    private final SharedValues values = new SharedValues();

    /** A Service; one that has nothing to proxy becomes one without ports. */
    List<Service> service(NamespacedName name, io.fabric8.kubernetes.api.model.Service service, Problems problems) {
        ServiceSpec spec = service.getSpec();
        if (spec == null || text(spec.getType()).equals("ExternalName")) {
            return List.of(new Service(name, List.of()));
        }
        List<String> all = list(spec.getClusterIPs());
        List<IpAddress> clusterIps = ips(
                "spec.clusterIPs",
                (all.isEmpty() ? List.of(text(spec.getClusterIP())) : all)
                        .stream()
                                .filter(ip -> !text(ip).isEmpty() && !ip.equals("None"))
                                .toList(),
                problems);
        if (clusterIps.isEmpty()) {
            return List.of(new Service(name, List.of()));
        }
        List<IpAddress> externalIps = ips("spec.externalIPs", list(spec.getExternalIPs()), problems);
        List<IpAddress> loadBalancerIps = ips("status.loadBalancer.ingress", loadBalancerIps(service), problems);
        ServicePolicy policy = policy(spec, problems);
        List<ServicePort> ports = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> numbers = new HashSet<>();
        int index = 0;
        for (io.fabric8.kubernetes.api.model.ServicePort port : list(spec.getPorts())) {
            String at = "spec.ports[" + index++ + "]";
            Optional<Protocol> protocol = protocol(at, port.getProtocol(), problems);
            int number = number(at + ".port", port.getPort(), problems);
            if (protocol.isEmpty() || number == 0) {
                continue;
            }
            ServicePortName portName = new ServicePortName(name, shared(port.getName()), protocol.get());
            int nodePort = port.getNodePort() == null || port.getNodePort() == 0
                    ? 0
                    : number(at + ".nodePort", port.getNodePort(), problems);
            if (!names.add(portName.port())) {
                problems.add(at + ".name", portName.port(), "a name that no other port of the Service has");
            } else if (!numbers.add(number + "/" + portName.protocol())) {
                problems.add(at + ".port", number, "a number that no other " + portName.protocol() + " port has");
            } else {
                ports.add(
                        new ServicePort(portName, clusterIps, number, nodePort, externalIps, loadBalancerIps, policy));
            }
        }
        return List.of(new Service(name, ports));
    }

    /** An EndpointSlice; nothing if no proxy uses it: one of FQDNs, or one that names no Service. */
    List<EndpointSlice> slice(
            NamespacedName name, io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice slice, Problems problems) {
        String service = map(slice.getMetadata().getLabels()).getOrDefault(SERVICE_NAME, "");
        String type = text(slice.getAddressType());
        if (service.isEmpty() || type.equals("FQDN")) {
            return List.of();
        }
        if (!type.equals("IPv4") && !type.equals("IPv6")) {
            problems.add("addressType", type, "IPv4, IPv6, FQDN");
            return List.of();
        }
        IpFamily family = type.equals("IPv4") ? IpFamily.IPV4 : IpFamily.IPV6;
        List<Port> ports = new ArrayList<>();
        int index = 0;
        for (EndpointPort port : list(slice.getPorts())) {
            // A port without a number means all ports, which a proxy has no use for.
            if (port.getPort() != null) {
                port("ports[" + index + "]", port.getName(), port.getProtocol(), port.getPort(), problems)
                        .ifPresent(ports::add);
            }
            index++;
        }
        List<Address> addresses = new ArrayList<>();
        index = 0;
        for (Endpoint endpoint : list(slice.getEndpoints())) {
            // The addresses of an endpoint are the same pod's; as kube-proxy does, the first one is used.
            List<String> ips = list(endpoint.getAddresses());
            ip("endpoints[" + index++ + "].addresses[0]", ips.isEmpty() ? null : ips.get(0), problems)
                    .filter(ip -> isOf(family, ip, problems))
                    .ifPresent(ip -> addresses.add(address(ip, endpoint)));
        }
        return List.of(new EndpointSlice(
                name,
                new NamespacedName(name.namespace(), service),
                values.shared(List.copyOf(ports)),
                addresses,
                trigger(slice.getMetadata(), problems)));
    }

    /** Endpoints, as slices: one for each subset and family. They are named after the Service. */
    List<EndpointSlice> endpoints(NamespacedName name, Endpoints endpoints, Problems problems) {
        List<EndpointSlice> slices = new ArrayList<>();
        Optional<Instant> trigger = trigger(endpoints.getMetadata(), problems);
        int index = 0;
        for (EndpointSubset subset : list(endpoints.getSubsets())) {
            String at = "subsets[" + index++ + "]";
            List<Port> ports = new ArrayList<>();
            for (io.fabric8.kubernetes.api.model.EndpointPort port : list(subset.getPorts())) {
                port(at + ".ports", port.getName(), port.getProtocol(), port.getPort(), problems)
                        .ifPresent(ports::add);
            }
            List<Address> addresses = new ArrayList<>();
            addAddresses(at + ".addresses", list(subset.getAddresses()), true, addresses, problems);
            addAddresses(at + ".notReadyAddresses", list(subset.getNotReadyAddresses()), false, addresses, problems);
            for (IpFamily family : IpFamily.values()) {
                List<Address> ofFamily = addresses.stream()
                        .filter(address -> address.ip().family() == family)
                        .toList();
                if (!ofFamily.isEmpty()) {
                    // No slice has a slash in its name, so this one is nobody else's.
                    NamespacedName part = new NamespacedName(name.namespace(), name.name() + "/" + slices.size());
                    slices.add(new EndpointSlice(part, name, values.shared(List.copyOf(ports)), ofFamily, trigger));
                }
            }
        }
        return slices;
    }

    /** A Node. */
    List<NodeInfo> node(NamespacedName name, Node node, Problems problems) {
        List<String> internal = node.getStatus() == null
                ? List.of()
                : list(node.getStatus().getAddresses()).stream()
                        .filter(address -> text(address.getType()).equals("InternalIP"))
                        .map(NodeAddress::getAddress)
                        .toList();
        List<Cidr> podCidrs = new ArrayList<>();
        for (String cidr :
                node.getSpec() == null ? List.<String>of() : list(node.getSpec().getPodCIDRs())) {
            try {
                podCidrs.add(PaddedAddress.cidr(text(cidr)));
            } catch (IllegalArgumentException e) {
                problems.add("spec.podCIDRs", text(cidr), "ADDRESS/PREFIX-LENGTH");
            }
        }
        return List.of(new NodeInfo(
                name.name(),
                map(node.getMetadata().getLabels()).getOrDefault(ZONE, ""),
                ips("status.addresses", internal, problems),
                podCidrs));
    }

    private Address address(IpAddress ip, Endpoint endpoint) {
        EndpointConditions conditions = endpoint.getConditions();
        boolean ready = conditions == null || !Boolean.FALSE.equals(conditions.getReady());
        Boolean serving = conditions == null ? null : conditions.getServing();
        boolean terminating = conditions != null && Boolean.TRUE.equals(conditions.getTerminating());
        return new Address(
                ip,
                values.shared(new EndpointState(
                        shared(endpoint.getNodeName()),
                        ready,
                        serving == null ? ready : serving,
                        terminating,
                        hints(endpoint.getHints()))));
    }

    private TopologyHints hints(@Nullable EndpointHints hints) {
        return hints == null
                ? TopologyHints.NONE
                : TopologyHints.of(
                        list(hints.getForZones()).stream()
                                .map(zone -> shared(zone.getName()))
                                .toList(),
                        list(hints.getForNodes()).stream()
                                .map(node -> shared(node.getName()))
                                .toList());
    }

    private static ServicePolicy policy(ServiceSpec spec, Problems problems) {
        List<Cidr> sourceRanges = new ArrayList<>();
        for (String range : list(spec.getLoadBalancerSourceRanges())) {
            try {
                sourceRanges.add(PaddedAddress.cidr(text(range)));
            } catch (IllegalArgumentException e) {
                problems.add("spec.loadBalancerSourceRanges", text(range), "ADDRESS/PREFIX-LENGTH");
            }
        }
        Integer healthCheck = spec.getHealthCheckNodePort();
        return new ServicePolicy(
                        switch (text(spec.getType())) {
                            case "LoadBalancer" -> ServiceType.LOAD_BALANCER;
                            case "NodePort" -> ServiceType.NODE_PORT;
                            default -> ServiceType.CLUSTER_IP;
                        },
                        trafficPolicy(spec.getInternalTrafficPolicy()),
                        trafficPolicy(spec.getExternalTrafficPolicy()),
                        affinitySeconds(spec, problems),
                        sourceRanges,
                        healthCheck == null || healthCheck == 0
                                ? 0
                                : number("spec.healthCheckNodePort", healthCheck, problems))
                .shared();
    }

    private static TrafficPolicy trafficPolicy(@Nullable String policy) {
        return text(policy).equals("Local") ? TrafficPolicy.LOCAL : TrafficPolicy.CLUSTER;
    }

    private static int affinitySeconds(ServiceSpec spec, Problems problems) {
        if (!text(spec.getSessionAffinity()).equals("ClientIP")) {
            return 0;
        }
        SessionAffinityConfig config = spec.getSessionAffinityConfig();
        Integer seconds = config == null || config.getClientIP() == null
                ? null
                : config.getClientIP().getTimeoutSeconds();
        if (seconds == null) {
            return ServicePolicy.DEFAULT_AFFINITY_SECONDS;
        }
        if (seconds < 1 || seconds > ServicePolicy.MAX_AFFINITY_SECONDS) {
            problems.add(
                    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
                    seconds,
                    "1 to " + ServicePolicy.MAX_AFFINITY_SECONDS);
            return ServicePolicy.DEFAULT_AFFINITY_SECONDS;
        }
        return seconds;
    }

    private void addAddresses(
            String field, List<EndpointAddress> from, boolean ready, List<Address> to, Problems problems) {
        for (EndpointAddress address : from) {
            ip(field, address.getIp(), problems)
                    .ifPresent(ip -> to.add(new Address(
                            ip,
                            values.shared(new EndpointState(
                                    shared(address.getNodeName()), ready, ready, false, TopologyHints.NONE)))));
        }
    }

    private String shared(@Nullable String name) {
        return values.shared(text(name));
    }

    private static List<String> loadBalancerIps(io.fabric8.kubernetes.api.model.Service service) {
        if (service.getStatus() == null || service.getStatus().getLoadBalancer() == null) {
            return List.of();
        }
        List<LoadBalancerIngress> ingress =
                list(service.getStatus().getLoadBalancer().getIngress());
        return ingress.stream()
                .filter(one -> !text(one.getIpMode()).equals("Proxy"))
                .map(one -> text(one.getIp()))
                .filter(ip -> !ip.isEmpty())
                .toList();
    }

    private static Optional<Port> port(
            String at, @Nullable String name, @Nullable String protocol, @Nullable Integer number, Problems problems) {
        Optional<Protocol> known = protocol(at, protocol, problems);
        int valid = number(at + ".port", number, problems);
        return known.isEmpty() || valid == 0 ? Optional.empty() : Optional.of(new Port(text(name), known.get(), valid));
    }

    private static Optional<Protocol> protocol(String at, @Nullable String text, Problems problems) {
        try {
            return Optional.of(text(text).isEmpty() ? Protocol.TCP : Protocol.valueOf(text(text)));
        } catch (IllegalArgumentException e) {
            problems.add(at + ".protocol", text(text), "TCP, UDP, SCTP");
            return Optional.empty();
        }
    }

    /** A port number; 0 if it is not one. */
    private static int number(String field, @Nullable Integer number, Problems problems) {
        if (number != null && number >= 1 && number <= MAX_PORT) {
            return number;
        }
        problems.add(field, number == null ? "missing" : number, PORT);
        return 0;
    }

    private static List<IpAddress> ips(String field, List<String> texts, Problems problems) {
        List<IpAddress> ips = new ArrayList<>(texts.size());
        texts.forEach(text -> ip(field, text, problems).ifPresent(ips::add));
        return ips;
    }

    private static Optional<IpAddress> ip(String field, @Nullable String text, Problems problems) {
        try {
            return Optional.of(PaddedAddress.ip(text(text)));
        } catch (IllegalArgumentException e) {
            problems.add(field, text(text), IP);
            return Optional.empty();
        }
    }

    private static boolean isOf(IpFamily family, IpAddress ip, Problems problems) {
        if (ip.family() != family) {
            problems.add("endpoints", ip.toString(), "an " + family + " address");
        }
        return ip.family() == family;
    }

    private static Optional<Instant> trigger(ObjectMeta metadata, Problems problems) {
        String time = map(metadata.getAnnotations()).getOrDefault(TRIGGER_TIME, "");
        try {
            return time.isEmpty()
                    ? Optional.empty()
                    : Optional.of(OffsetDateTime.parse(time).toInstant());
        } catch (DateTimeException e) {
            problems.add("metadata.annotations[" + TRIGGER_TIME + "]", time, "a time as in RFC 3339");
            return Optional.empty();
        }
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static <T> List<T> list(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static Map<String, String> map(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
