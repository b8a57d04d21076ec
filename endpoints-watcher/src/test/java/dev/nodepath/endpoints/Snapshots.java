package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Builds snapshots for tests in few words: {@code Snapshots.service("default/web:http", "10.96.0.10",
 * 80).endpoint("10.244.0.2:8080", "n1").build()}. Calls after a {@code service} belong to it.
 */
public final class Snapshots {
    private final Map<ServicePortName, ServicePort> services = new LinkedHashMap<>();
    private final Map<ServicePortName, List<Endpoint>> endpoints = new LinkedHashMap<>();
    private final Map<String, NodeInfo> nodes = new LinkedHashMap<>();
    private ServicePort current;

    private Snapshots(ServicePort first) {
        this.current = first;
    }

    /** Starts with a TCP service port; more cluster IPs are separated by commas. */
    public static Snapshots service(String name, String clusterIps, int port) {
        return service(name, Protocol.TCP, clusterIps, port);
    }

    /** Starts with a service port of any protocol. */
    public static Snapshots service(String name, Protocol protocol, String clusterIps, int port) {
        ServicePort first = servicePort(portName(name, protocol), clusterIps, port);
        Snapshots snapshots = new Snapshots(first);
        snapshots.services.put(first.name(), first);
        return snapshots;
    }

    /** The name of {@code namespace/name:port} or {@code namespace/name}, TCP. */
    public static ServicePortName portName(String text) {
        return portName(text, Protocol.TCP);
    }

    /** The name of {@code namespace/name:port} or {@code namespace/name}. */
    public static ServicePortName portName(String text, Protocol protocol) {
        int slash = text.indexOf('/');
        int colon = text.indexOf(':');
        String name = text.substring(slash + 1, colon < 0 ? text.length() : colon);
        return new ServicePortName(
                new NamespacedName(text.substring(0, slash), name),
                colon < 0 ? "" : text.substring(colon + 1),
                protocol);
    }

    /** Another TCP service port. */
    public Snapshots andService(String name, String clusterIps, int port) {
        return andService(name, Protocol.TCP, clusterIps, port);
    }

    /** Another service port of any protocol. */
    public Snapshots andService(String name, Protocol protocol, String clusterIps, int port) {
        return with(servicePort(portName(name, protocol), clusterIps, port));
    }

    /** Gives the service port a node port, which makes it one of type NodePort. */
    public Snapshots nodePort(int nodePort) {
        with(new ServicePort(
                current.name(),
                current.clusterIps(),
                current.port(),
                nodePort,
                current.externalIps(),
                current.loadBalancerIps(),
                current.policy()));
        return nodePort == 0 || current.policy().type() == ServiceType.LOAD_BALANCER
                ? this
                : type(ServiceType.NODE_PORT);
    }

    /** Gives the service port external IPs, separated by commas. */
    public Snapshots externalIps(String ips) {
        return with(new ServicePort(
                current.name(),
                current.clusterIps(),
                current.port(),
                current.nodePort(),
                ips(ips),
                current.loadBalancerIps(),
                current.policy()));
    }

    /** Gives the service port load balancer IPs, separated by commas, which makes it one of type LoadBalancer. */
    public Snapshots loadBalancerIps(String ips) {
        with(new ServicePort(
                current.name(),
                current.clusterIps(),
                current.port(),
                current.nodePort(),
                current.externalIps(),
                ips(ips),
                current.policy()));
        return type(ServiceType.LOAD_BALANCER);
    }

    /** Lets traffic to the cluster IP reach only endpoints of its node. */
    public Snapshots internalTrafficLocal() {
        ServicePolicy old = current.policy();
        return policy(
                old.type(),
                TrafficPolicy.LOCAL,
                old.externalTraffic(),
                old.affinitySeconds(),
                old.sourceRanges(),
                old.healthCheckNodePort());
    }

    /** Lets traffic from outside reach only endpoints of the node it comes to. */
    public Snapshots externalTrafficLocal() {
        ServicePolicy old = current.policy();
        return policy(
                old.type(),
                old.internalTraffic(),
                TrafficPolicy.LOCAL,
                old.affinitySeconds(),
                old.sourceRanges(),
                old.healthCheckNodePort());
    }

    /** Lets clients keep their endpoint. */
    public Snapshots affinity(int seconds) {
        ServicePolicy old = current.policy();
        return policy(
                old.type(),
                old.internalTraffic(),
                old.externalTraffic(),
                seconds,
                old.sourceRanges(),
                old.healthCheckNodePort());
    }

    /** Lets only these networks, separated by commas, use the load balancer IPs. */
    public Snapshots sourceRanges(String cidrs) {
        ServicePolicy old = current.policy();
        List<Cidr> ranges = Stream.of(cidrs.split(",", -1)).map(Cidr::parse).toList();
        return policy(
                old.type(),
                old.internalTraffic(),
                old.externalTraffic(),
                old.affinitySeconds(),
                ranges,
                old.healthCheckNodePort());
    }

    /** Gives the Service a port for its health check. */
    public Snapshots healthCheckNodePort(int port) {
        ServicePolicy old = current.policy();
        return policy(
                old.type(),
                old.internalTraffic(),
                old.externalTraffic(),
                old.affinitySeconds(),
                old.sourceRanges(),
                port);
    }

    private Snapshots type(ServiceType type) {
        ServicePolicy old = current.policy();
        return policy(
                type,
                old.internalTraffic(),
                old.externalTraffic(),
                old.affinitySeconds(),
                old.sourceRanges(),
                old.healthCheckNodePort());
    }

    private Snapshots policy(
            ServiceType type,
            TrafficPolicy internal,
            TrafficPolicy external,
            int affinity,
            List<Cidr> ranges,
            int healthPort) {
        return with(new ServicePort(
                current.name(),
                current.clusterIps(),
                current.port(),
                current.nodePort(),
                current.externalIps(),
                current.loadBalancerIps(),
                new ServicePolicy(type, internal, external, affinity, ranges, healthPort)));
    }

    /** An endpoint that is terminating and still serves. */
    public Snapshots drainingEndpoint(String hostAndPort, String node) {
        return endpoint(hostAndPort, node, false, true, true);
    }

    /** A ready endpoint, such as {@code 10.244.0.2:8080} or {@code [fd00::2]:8080}. */
    public Snapshots endpoint(String hostAndPort, String node) {
        return endpoint(hostAndPort, node, true, true, false);
    }

    /** An endpoint that is neither ready nor serving. */
    public Snapshots unreadyEndpoint(String hostAndPort, String node) {
        return endpoint(hostAndPort, node, false, false, false);
    }

    /** A ready endpoint meant for these zones and nodes, each separated by commas. */
    public Snapshots hintedEndpoint(String hostAndPort, String node, String zones, String nodes) {
        return endpoint(hostAndPort, node, true, true, false, TopologyHints.of(words(zones), words(nodes)));
    }

    /** An endpoint with these conditions. */
    public Snapshots endpoint(String hostAndPort, String node, boolean ready, boolean serving, boolean terminating) {
        return endpoint(hostAndPort, node, ready, serving, terminating, TopologyHints.NONE);
    }

    private Snapshots endpoint(
            String hostAndPort, String node, boolean ready, boolean serving, boolean terminating, TopologyHints hints) {
        int colon = hostAndPort.lastIndexOf(':');
        String host = hostAndPort.substring(0, colon).replace("[", "").replace("]", "");
        endpoints
                .computeIfAbsent(current.name(), name -> new ArrayList<>())
                .add(new Endpoint(
                        IpAddress.parse(host),
                        Integer.parseInt(hostAndPort.substring(colon + 1)),
                        node,
                        ready,
                        serving,
                        terminating,
                        hints));
        return this;
    }

    /** A Node with its addresses and pod CIDRs, each separated by commas. */
    public Snapshots node(String name, String addresses, String podCidrs) {
        return node(name, "", addresses, podCidrs);
    }

    /** A Node in a zone. */
    public Snapshots node(String name, String zone, String addresses, String podCidrs) {
        List<Cidr> cidrs = Stream.of(podCidrs.split(","))
                .filter(text -> !text.isEmpty())
                .map(Cidr::parse)
                .toList();
        nodes.put(name, new NodeInfo(name, zone, ips(addresses), cidrs));
        return this;
    }

    /** The snapshot so far. */
    public ServiceSnapshot build() {
        Map<ServicePortName, List<Endpoint>> sorted = new LinkedHashMap<>();
        endpoints.forEach((name, list) -> sorted.put(
                name,
                list.stream()
                        .sorted(Comparator.comparing(Endpoint::hostAndPort))
                        .toList()));
        return new ServiceSnapshot(new TreeMap<>(services), sorted, new TreeMap<>(nodes));
    }

    private Snapshots with(ServicePort port) {
        current = port;
        services.put(port.name(), port);
        return this;
    }

    private static ServicePort servicePort(ServicePortName name, String clusterIps, int port) {
        return new ServicePort(name, ips(clusterIps), port, 0, List.of(), List.of());
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    private static List<IpAddress> ips(String text) {
        return Stream.of(text.split(","))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .map(IpAddress::parse)
                .toList();
    }
}
