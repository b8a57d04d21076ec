package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestNode;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.endpoints.source.manifests.ManifestReader;
import dev.nodepath.endpoints.source.manifests.Manifests;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads a topology and checks all of it before anything is made: every error names file, object, field, value and what was expected. */
public final class TopologyReader {
    /** Names that the emulated network uses itself. */
    private static final Set<String> RESERVED = Set.of(Topology.SWITCH, Topology.CLIENT);

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
            if (!object.root().get("spec").get("clusterIP").asString("").equals("None")) {
                ServiceSpec service = ServiceSpecReader.read(object);
                checkAddresses(object, service, services, nodes);
                services.add(service);
            }
        }
        Topology topology = new Topology(file, nodes, pods, services);
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
            checkPodCidr(object, nodes, i);
        }
        return nodes;
    }

    private static void checkAddress(ManifestObject object, List<NodeInfo> nodes, int index) throws ManifestException {
        List<IpAddress> addresses = nodes.get(index).addresses();
        var field = object.root().get("status").get("addresses");
        if (addresses.isEmpty() || addresses.get(0).family() != IpFamily.IPV4) {
            throw field.problem(addresses + " (expected: an IPv4 address of type InternalIP first)");
        }
        IpAddress address = addresses.get(0);
        Cidr network = Topology.nodeNetwork(nodes);
        if (!network.contains(address)) {
            throw field.problem(address + " (expected: an address in " + network + ", the first node's network)");
        }
        if (address.equals(network.address())
                || address.equals(network.last())
                || address.equals(Topology.clientAddress(nodes))) {
            throw field.problem(
                    address + " (expected: a host address of " + network + " other than .254, the client's)");
        }
        for (NodeInfo earlier : nodes.subList(0, index)) {
            if (earlier.addresses().contains(address)) {
                throw field.problem(
                        address + ": also the address of Node " + earlier.name() + " (expected: one of its own)");
            }
        }
    }

    private static void checkPodCidr(ManifestObject object, List<NodeInfo> nodes, int index) throws ManifestException {
        List<Cidr> cidrs = nodes.get(index).podCidrs();
        var field = object.root().get("spec").get("podCIDR");
        if (cidrs.isEmpty()
                || cidrs.get(0).family() != IpFamily.IPV4
                || !cidrs.get(0).isNetwork()
                || cidrs.get(0).prefixLength() > 30) {
            throw field.problem(cidrs + " (expected: an IPv4 network of at most /30, host bits zero)");
        }
        Cidr cidr = cidrs.get(0);
        Cidr nodeNetwork = Topology.nodeNetwork(nodes);
        if (cidr.overlaps(nodeNetwork)) {
            throw field.problem(
                    cidr + ": overlaps with the nodes' network " + nodeNetwork + " (expected: a network of its own)");
        }
        for (NodeInfo earlier : nodes.subList(0, index)) {
            if (earlier.podCidrs().get(0).overlaps(cidr)) {
                throw field.problem(
                        cidr + ": overlaps with " + earlier.podCidrs().get(0) + " of Node " + earlier.name()
                                + " (expected: a network of its own)");
            }
        }
    }

    /** One network must tell pods from everything else, as proxies are told no more than one. */
    private void checkClusterCidr(Topology topology) throws ManifestException {
        Cidr cluster = topology.clusterCidr();
        for (NodeInfo node : topology.nodes()) {
            if (cluster.contains(node.addresses().get(0))) {
                throw new ManifestException(
                        file,
                        "spec.podCIDR of all Nodes: covered by " + cluster + ", which has node " + node.name()
                                + " in it" + " (expected: networks close together, away from the nodes')");
            }
        }
    }

    /** There is no allocator here: every Service says its cluster IP, and no two want the same of anything. */
    private static void checkAddresses(
            ManifestObject object, ServiceSpec service, List<ServiceSpec> earlier, List<NodeInfo> nodes)
            throws ManifestException {
        ManifestNode clusterIp = object.root().get("spec").get("clusterIP");
        for (NodeInfo node : nodes) {
            if (node.podCidrs().get(0).contains(service.clusterIp())) {
                throw clusterIp.expected(
                        "an address outside the podCIDR " + node.podCidrs().get(0));
            }
        }
        for (ServiceSpec other : earlier) {
            if (other.clusterIp().equals(service.clusterIp())) {
                throw clusterIp.expected("another address than that of Service " + other.name());
            }
            for (ServiceSpec.Port port : service.ports()) {
                if (port.nodePort() != 0
                        && other.ports().stream().anyMatch(taken -> taken.nodePort() == port.nodePort())) {
                    throw object.root()
                            .get("spec")
                            .get("ports")
                            .problem("nodePort " + port.nodePort() + " (expected: another than those of Service "
                                    + other.name() + ")");
                }
            }
        }
    }

    private PodSpec pod(ManifestObject object, List<NodeInfo> nodes) throws ManifestException {
        claimName(object);
        var spec = object.root().get("spec");
        String node = spec.get("nodeName").asString();
        if (nodes.stream().noneMatch(known -> known.name().equals(node))) {
            throw spec.get("nodeName")
                    .expected("one of the Nodes "
                            + nodes.stream().map(NodeInfo::name).toList());
        }
        return PodSpecReader.read(object, node);
    }

    /** Nodes and pods share one space of names, as {@code nodepath exec} takes either; they name files and links too. */
    private void claimName(ManifestObject object) throws ManifestException {
        if (!NAME.matcher(object.name()).matches()) {
            throw object.root().get("metadata").get("name").expected("a DNS name: a-z, 0-9, - and .");
        }
        if (!names.add(object.name())) {
            throw object.root()
                    .get("metadata")
                    .get("name")
                    .expected("a name that no other Node or Pod has, and none of " + RESERVED);
        }
    }

    private static void limit(int index, int max, ManifestObject object, String what) throws ManifestException {
        if (index >= max) {
            throw object.root().problem("more than " + max + " " + what + " (expected: at most " + max + ")");
        }
    }
}
