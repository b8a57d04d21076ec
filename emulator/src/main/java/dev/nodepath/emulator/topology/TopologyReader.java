package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.endpoints.source.manifests.ManifestReader;
import dev.nodepath.endpoints.source.manifests.Manifests;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads a topology and checks all of it before anything is made: every error names file, object, field, value and what was expected. */
public final class TopologyReader {
    /** Names that the emulated network uses itself. */
    private static final Set<String> RESERVED = Set.of(Topology.SWITCH, Topology.ROUTER, Topology.CLIENT);

    /** RFC 1123. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

    private static final int NODES_MAX = 50;
    private static final int PODS_MAX = 1000;
    private final Path file;
    private final Set<String> names = new HashSet<>(RESERVED);

    private TopologyReader(Path file) {
        this.file = file;
    }

    /**
     * Reads a file or folder of manifests.
     *
     * @throws ManifestException at the first thing that is wrong
     */
    public static Topology read(Path file) throws ManifestException {
        return new TopologyReader(file).read(ManifestReader.read(file));
    }

    private Topology read(Manifests manifests) throws ManifestException {
        List<NodeInfo> nodes = nodes(manifests);
        List<PodSpec> pods = new ArrayList<>();
        for (ManifestObject pod : manifests.objects("Pod")) {
            limit(pods.size(), PODS_MAX, pod, "pods");
            pods.add(pod(pod, nodes));
        }
        List<ServiceSpec> services = new ArrayList<>();
        for (ManifestObject object : manifests.objects("Service")) {
            if (!object.json().path("spec").path("clusterIP").asText().equals("None")) {
                ServiceSpec service = ServiceSpecReader.read(object);
                checkAddresses(object, service, services, nodes);
                services.add(service);
            }
        }
        Topology topology = new Topology(manifests.objects(), nodes, pods, services);
        checkClusterCidr(topology);
        return topology;
    }

    private List<NodeInfo> nodes(Manifests manifests) throws ManifestException {
        List<NodeInfo> nodes = manifests.cluster().nodes();
        List<ManifestObject> objects = manifests.objects("Node");
        if (objects.isEmpty()) {
            throw new ManifestException(file, "no Node (expected: at least one)");
        }
        for (int i = 0; i < objects.size(); i++) {
            ManifestObject object = objects.get(i);
            limit(i, NODES_MAX, object, "nodes");
            claimName(object);
            checkAddress(object, nodes, i);
        }
        for (int i = 0; i < objects.size(); i++) {
            checkPodCidr(objects.get(i), nodes, i);
        }
        return nodes;
    }

    private static void checkAddress(ManifestObject object, List<NodeInfo> nodes, int index) throws ManifestException {
        List<IpAddress> addresses = nodes.get(index).addresses();
        String field = "status.addresses";
        if (addresses.isEmpty()
                || !hasFamilies(addresses.stream().map(IpAddress::family).toList())) {
            throw object.error(
                    field,
                    addresses + " (expected: an IPv4 address of type InternalIP first, and at most one of IPv6)");
        }
        if (addresses.size() != nodes.get(0).addresses().size()) {
            throw object.error(
                    field,
                    addresses + " (expected: of the same families as those of Node "
                            + nodes.get(0).name() + ")");
        }
        NodeNetwork network = NodeNetwork.of(nodes.get(index));
        for (int i = 0; i < addresses.size(); i++) {
            IpAddress address = addresses.get(i);
            if (network.cidrs().get(i).address().equals(address)
                    || (address.family() == IpFamily.IPV4
                            && network.ipv4().last().equals(address))
                    || network.clientAddresses().contains(address)
                    || network.routerAddresses().contains(address)) {
                throw object.error(
                        field,
                        address + " (expected: a host address of "
                                + network.cidrs().get(i)
                                + " other than number 253 and 254, the router's and the client's)");
            }
        }
        for (NodeInfo earlier : nodes.subList(0, index)) {
            checkBeside(earlier, nodes.get(index), object);
        }
    }

    private static void checkBeside(NodeInfo earlier, NodeInfo node, ManifestObject object) throws ManifestException {
        for (IpAddress address : node.addresses()) {
            if (earlier.addresses().contains(address)) {
                throw object.error(
                        "status.addresses",
                        address + ": also the address of Node " + earlier.name() + " (expected: one of its own)");
            }
        }
        NodeNetwork one = NodeNetwork.of(earlier);
        NodeNetwork other = NodeNetwork.of(node);
        if (one.ipv4().equals(other.ipv4()) != one.ipv6().equals(other.ipv6())
                && one.ipv6().isPresent()) {
            throw object.error(
                    "status.addresses",
                    other + " beside " + one + " of Node " + earlier.name()
                            + " (expected: the same networks, or others, in both families)");
        }
    }

    /** IPv4, and IPv6 after it in a dual-stack cluster. */
    private static boolean hasFamilies(List<IpFamily> families) {
        return families.equals(List.of(IpFamily.IPV4)) || families.equals(List.of(IpFamily.IPV4, IpFamily.IPV6));
    }

    private static void checkPodCidr(ManifestObject object, List<NodeInfo> nodes, int index) throws ManifestException {
        List<Cidr> cidrs = nodes.get(index).podCidrs();
        String field = "spec.podCIDR";
        boolean usable = hasFamilies(cidrs.stream().map(Cidr::family).toList())
                && cidrs.size() == nodes.get(index).addresses().size()
                && cidrs.stream().allMatch(Cidr::isNetwork)
                && cidrs.stream()
                        .allMatch(cidr -> cidr.prefixLength() <= cidr.family().bits() - 2);
        if (!usable) {
            throw object.error(
                    field,
                    cidrs + " (expected: an IPv4 network of at most /30, host bits zero"
                            + (nodes.get(index).addresses().size() > 1 ? ", and in podCIDRs one of IPv6 after it" : "")
                            + ")");
        }
        for (Cidr cidr : cidrs) {
            for (NodeNetwork network : Topology.networks(nodes)) {
                if (network.overlaps(cidr)) {
                    throw object.error(
                            field,
                            cidr + ": overlaps with the nodes' network " + network
                                    + " (expected: a network of its own)");
                }
            }
            for (NodeInfo earlier : nodes.subList(0, index)) {
                for (Cidr other : earlier.podCidrs()) {
                    if (other.overlaps(cidr)) {
                        throw object.error(
                                field,
                                cidr + ": overlaps with " + other + " of Node " + earlier.name()
                                        + " (expected: a network of its own)");
                    }
                }
            }
        }
    }

    /** One network of each family must tell pods from everything else, as proxies are told no more than one. */
    private void checkClusterCidr(Topology topology) throws ManifestException {
        for (Cidr cluster : topology.clusterCidrs()) {
            for (NodeInfo node : topology.nodes()) {
                if (node.addresses().stream().anyMatch(cluster::contains)) {
                    throw new ManifestException(
                            file,
                            "spec.podCIDR of all Nodes: covered by " + cluster + ", which has node " + node.name()
                                    + " in it" + " (expected: networks close together, away from the nodes')");
                }
            }
        }
    }

    /** There is no allocator here: every Service says its cluster IP, and no two want the same of anything. */
    private static void checkAddresses(
            ManifestObject object, ServiceSpec service, List<ServiceSpec> earlier, List<NodeInfo> nodes)
            throws ManifestException {
        String clusterIp = service.clusterIp().toString();
        for (NodeInfo node : nodes) {
            for (Cidr podCidr : node.podCidrs()) {
                if (service.clusterIps().stream().anyMatch(podCidr::contains)) {
                    throw object.error("spec.clusterIP", clusterIp, "an address outside the podCIDR " + podCidr);
                }
            }
        }
        for (ServiceSpec other : earlier) {
            if (other.clusterIps().stream().anyMatch(service.clusterIps()::contains)) {
                throw object.error("spec.clusterIP", clusterIp, "another address than that of Service " + other.name());
            }
            for (ServiceSpec.Port port : service.ports()) {
                if (port.nodePort() != 0
                        && other.ports().stream().anyMatch(taken -> taken.nodePort() == port.nodePort())) {
                    throw object.error(
                            "spec.ports",
                            "nodePort " + port.nodePort() + " (expected: another than those of Service " + other.name()
                                    + ")");
                }
            }
        }
    }

    private PodSpec pod(ManifestObject object, List<NodeInfo> nodes) throws ManifestException {
        claimName(object);
        PodSpec pod = PodSpecReader.read(object);
        List<String> known = nodes.stream().map(NodeInfo::name).toList();
        if (!known.contains(pod.node())) {
            throw object.error("spec.nodeName", pod.node(), "one of the Nodes " + known);
        }
        return pod;
    }

    /** Nodes and pods share one space of names, as {@code nodepath exec} takes either; they name files and links too. */
    private void claimName(ManifestObject object) throws ManifestException {
        if (!NAME.matcher(object.name()).matches()) {
            throw object.error("metadata.name", object.name(), "a DNS name: a-z, 0-9, - and .");
        }
        if (!names.add(object.name())) {
            throw object.error(
                    "metadata.name", object.name(), "a name that no other Node or Pod has, and none of " + RESERVED);
        }
    }

    private static void limit(int index, int max, ManifestObject object, String what) throws ManifestException {
        if (index >= max) {
            throw object.error("", "more than " + max + " " + what + " (expected: at most " + max + ")");
        }
    }
}
