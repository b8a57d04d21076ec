package dev.nodepath.emulator.walk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.controllers.endpoints.BalancerNode;
import dev.nodepath.emulator.cluster.NodeNetwork;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.cluster.Topology;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.endpoints.source.Manifests;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.policy.object.PolicyManifests;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cluster at one moment, with the parts that decide about packets.
 *
 * @param proxies how they run
 * @param snapshot what the proxies serve
 * @param services the names of all Services, including those that no proxy serves
 * @param pods every Pod, by its name for people
 * @param nodes every node, by its name
 * @param outside the client outside the cluster
 * @param balancers the node of each load balancer's address
 * @param network the nodes' networks
 * @param policies the NetworkPolicies, and the objects that they depend on
 */
record ClusterState(
        RunningProxies proxies,
        ServiceSnapshot snapshot,
        Set<NamespacedName> services,
        Map<String, PodView> pods,
        Map<String, Host> nodes,
        Host outside,
        Map<IpAddress, String> balancers,
        Topology network,
        PolicySnapshot policies) {
    private static final NamespacedName API = new NamespacedName("default", "kubernetes");

    ClusterState {
        services = Set.copyOf(services);
        pods = Map.copyOf(pods);
        nodes = Map.copyOf(nodes);
        balancers = Map.copyOf(balancers);
    }

    /** The cluster with these objects: Nodes, Pods, Services, their slices and ranges, Namespaces, policies. */
    static ClusterState of(RunningProxies proxies, Manifests objects) {
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(objects.cluster());
        ServiceSnapshot snapshot = tracker.commit().snapshot();
        List<NodeInfo> infos = List.copyOf(snapshot.nodes().values());
        Topology network = new Topology(infos, List.of(), List.of());
        Map<String, PodView> pods = new HashMap<>();
        for (ManifestObject object : objects.objects("Pod")) {
            PodView pod = PodView.of((ObjectNode) object.json());
            pods.put(PodView.shown(pod.key()), pod);
        }
        Map<String, Host> nodes = infos.stream()
                .collect(Collectors.toMap(
                        NodeInfo::name,
                        node -> new Host(Host.Kind.NODE, node.name(), node.name(), own(node, network))));
        Host outside = outside(network, snapshot);
        return new ClusterState(
                proxies,
                snapshot,
                serviceNames(objects),
                pods,
                nodes,
                outside,
                balancers(
                        objects,
                        node -> isBeside(outside, network, snapshot.nodes().get(node))),
                network,
                new PolicyManifests(objects.objects(), bad -> {}).snapshot());
    }

    private static Map<IpAddress, String> balancers(Manifests objects, Predicate<String> near) {
        Map<IpAddress, String> balancers = new HashMap<>();
        BalancerNode.byAddress(
                        jsons(objects.objects("Service"), service -> true),
                        jsons(objects.objects("Node"), node -> near.test(node.name())),
                        jsons(objects.objects(), object -> object.is("discovery.k8s.io", "EndpointSlice")))
                .forEach((address, node) -> balancers.put(IpAddress.parse(address), node));
        return balancers;
    }

    private static List<JsonNode> jsons(List<ManifestObject> objects, Predicate<ManifestObject> which) {
        return objects.stream().filter(which).map(ManifestObject::json).toList();
    }

    private static boolean isBeside(Host outside, Topology network, @Nullable NodeInfo node) {
        return node != null && network.network(node).clientAddresses().equals(outside.addresses());
    }

    /** The mode of a node's proxy. */
    ProxyMode mode(String node) {
        return proxies.mode(node);
    }

    boolean hasPower(String node) {
        return !proxies.cut().contains(node);
    }

    private static Set<NamespacedName> serviceNames(Manifests objects) {
        return objects.objects("Service").stream()
                .map(each -> new NamespacedName(each.namespace(), each.name()))
                .collect(Collectors.toSet());
    }

    /** The addresses of a node, then those of its bridge and of its overlay's link, if there is one. */
    private static List<IpAddress> own(NodeInfo node, Topology network) {
        List<IpAddress> own = new ArrayList<>(node.addresses());
        for (Cidr cidr : node.podCidrs()) {
            own.add(gateway(cidr));
            if (network.networks().size() > 1) {
                own.add(overlay(cidr));
            }
        }
        return own;
    }

    private static IpAddress overlay(Cidr podCidr) {
        return podCidr.network().address();
    }

    private static IpAddress gateway(Cidr podCidr) {
        return podCidr.network().address().plus(1);
    }

    /** The API server listens at the client's address, so its endpoint tells on which network the client is. */
    private static Host outside(Topology network, ServiceSnapshot snapshot) {
        Set<IpAddress> servers = snapshot.endpoints().entrySet().stream()
                .filter(entry -> entry.getKey().service().equals(API))
                .flatMap(entry -> entry.getValue().stream())
                .map(Endpoint::address)
                .collect(Collectors.toSet());
        List<IpAddress> addresses = network.networks().stream()
                .map(NodeNetwork::clientAddresses)
                .filter(each -> each.stream().anyMatch(servers::contains))
                .findFirst()
                .orElseGet(network::clientAddresses);
        return new Host(Host.Kind.OUTSIDE, Topology.CLIENT, "", addresses);
    }

    /** A Pod as the sender or receiver of packets; with {@code hostNetwork} it is its node. */
    Host host(String name, PodView pod) {
        return Optional.ofNullable(nodes.get(pod.node()))
                .filter(node -> !pod.addresses().isEmpty() && node.addresses().containsAll(pod.addresses()))
                .orElseGet(() -> new Host(Host.Kind.POD, name, pod.node(), pod.addresses()));
    }

    Set<IpAddress> ownAddresses(String node) {
        return Set.copyOf(own(node(node), network));
    }

    /** The owner of an address; of several Pods a ready one. */
    Optional<Host> at(IpAddress address) {
        Optional<Host> host = nodes.values().stream()
                .filter(node -> node.addresses().contains(address))
                .findFirst();
        if (host.isPresent() || outside.addresses().contains(address)) {
            return host.or(() -> Optional.of(outside));
        }
        return pods.entrySet().stream()
                .filter(pod -> pod.getValue().addresses().contains(address))
                .sorted(Comparator.comparing(pod -> !pod.getValue().ready()))
                .map(pod -> host(pod.getKey(), pod.getValue()))
                .findFirst();
    }

    NodeInfo node(String name) {
        NodeInfo node = snapshot.nodes().get(name);
        if (node == null) {
            throw new IllegalArgumentException("no Node " + name);
        }
        return node;
    }

    /** The address of a node between the nodes. */
    IpAddress nodeAddress(String name, IpFamily family) {
        return node(name)
                .address(family)
                .orElseThrow(() -> new IllegalArgumentException("Node " + name + " has no address of " + family));
    }

    /** The podCIDR of a node. */
    Cidr podCidr(String name, IpFamily family) {
        return node(name).podCidrs().stream()
                .filter(cidr -> cidr.family() == family)
                .map(Cidr::network)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("Node " + name + " has no podCIDR of " + family));
    }

    /** The address of a node on its own bridge. */
    IpAddress bridgeAddress(String name, IpFamily family) {
        return gateway(podCidr(name, family));
    }

    /** Whether two nodes are on one network, so that no overlay is between them. */
    boolean shareNetwork(String one, String other) {
        return network.network(node(one)).equals(network.network(node(other)));
    }

    /** Whether the client outside is on a node's network. */
    boolean isBesideClient(String node) {
        return isBeside(outside, network, node(node));
    }

    /** The source address of a node's own packets towards an address. */
    IpAddress sourceTowards(String from, IpAddress to) {
        IpFamily family = to.family();
        if (podCidr(from, family).contains(to)) {
            return bridgeAddress(from, family);
        }
        boolean overlay = nodes.keySet().stream()
                .filter(other -> !other.equals(from) && !shareNetwork(from, other))
                .anyMatch(other -> podCidr(other, family).contains(to));
        return overlay ? overlay(podCidr(from, family)) : nodeAddress(from, family);
    }

    /** The names of all possible senders. */
    Set<String> senders() {
        Set<String> names = new TreeSet<>(pods.keySet());
        names.addAll(nodes.keySet());
        names.add(outside.name());
        return names;
    }
}
