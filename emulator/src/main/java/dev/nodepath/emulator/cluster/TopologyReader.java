package dev.nodepath.emulator.cluster;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads manifests and checks their Nodes before anything is made. The API server checks all other objects. */
public final class TopologyReader {
    /** Names that the emulated network uses itself. */
    private static final Set<String> RESERVED = Set.of(Topology.SWITCH, Topology.ROUTER, Topology.CLIENT);

    /** RFC 1123. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

    private final List<String> problems = new ArrayList<>();
    private final Set<String> names = new HashSet<>(RESERVED);

    private TopologyReader() {}

    /**
     * Reads files or folders of manifests.
     *
     * @throws TopologyException with everything that is wrong with the Nodes
     */
    public static Topology read(Path... files) throws TopologyException {
        try {
            return new TopologyReader().read(ManifestReader.objects(List.of(files)));
        } catch (ManifestException e) {
            throw new TopologyException(List.of(String.valueOf(e.getMessage())));
        }
    }

    /**
     * Whether manifests have a Node.
     *
     * @throws TopologyException if they cannot be read
     */
    public static boolean hasNodes(Path file) throws TopologyException {
        try {
            return ManifestReader.objects(List.of(file)).stream().anyMatch(object -> object.is("", "Node"));
        } catch (ManifestException e) {
            throw new TopologyException(List.of(String.valueOf(e.getMessage())));
        }
    }

    private Topology read(List<ManifestObject> all) throws TopologyException, ManifestException {
        List<ManifestObject> nodeObjects =
                all.stream().filter(object -> object.is("", "Node")).toList();
        List<ManifestObject> others =
                all.stream().filter(object -> !object.is("", "Node")).toList();
        List<NodeInfo> nodes = ManifestReader.check(nodeObjects).cluster().nodes();
        check(nodeObjects, nodes);
        if (problems.isEmpty()) {
            checkClusterCidr(nodeObjects, nodes);
            checkNodeNames(others, nodes);
        }
        if (!problems.isEmpty()) {
            throw new TopologyException(problems);
        }
        return new Topology(nodes, nodeObjects, others);
    }

    private void check(List<ManifestObject> objects, List<NodeInfo> nodes) {
        if (objects.size() > NodeManifests.NODES_MAX) {
            problems.add(message(
                    objects.get(NodeManifests.NODES_MAX).error("", "more than " + NodeManifests.NODES_MAX + " nodes")));
            return;
        }
        for (int i = 0; i < objects.size(); i++) {
            int index = i;
            collect(() -> claimName(objects.get(index)));
            collect(() -> checkAddress(objects.get(index), nodes, index));
        }
        // Whether networks overlap can be said only when every node has one.
        for (int i = 0; i < objects.size() && problems.isEmpty(); i++) {
            int index = i;
            collect(() -> checkPodCidr(objects.get(index), nodes, index));
        }
    }

    private interface Check {
        void run() throws ManifestException;
    }

    private void collect(Check check) {
        try {
            check.run();
        } catch (ManifestException e) {
            problems.add(message(e));
        }
    }

    private static String message(ManifestException problem) {
        return String.valueOf(problem.getMessage());
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

    /** One network of each family must tell pods from everything else: a proxy takes no more than one. */
    private void checkClusterCidr(List<ManifestObject> objects, List<NodeInfo> nodes) {
        for (Cidr cluster : nodes.isEmpty() ? List.<Cidr>of() : Topology.clusterCidrs(nodes)) {
            nodes.stream()
                    .filter(node -> node.addresses().stream().anyMatch(cluster::contains))
                    .findFirst()
                    .ifPresent(node -> problems.add(message(objects.get(0)
                            .error(
                                    "spec.podCIDR",
                                    "of all Nodes: covered by " + cluster + ", which has node " + node.name()
                                            + " in it (expected: networks close together, away from the nodes')"))));
        }
    }

    /** A real cluster would remove such a Pod in silence. */
    private void checkNodeNames(List<ManifestObject> objects, List<NodeInfo> nodes) {
        List<String> known = nodes.stream().map(NodeInfo::name).toList();
        for (ManifestObject object : objects) {
            String node = object.json().path("spec").path("nodeName").asText("");
            if (object.is("", "Pod") && !node.isEmpty() && !known.isEmpty() && !known.contains(node)) {
                problems.add(message(object.error("spec.nodeName", node, "one of the Nodes " + known)));
            }
        }
    }

    /** Names of nodes are names of files, links and of places for {@code nodepath exec}. */
    private void claimName(ManifestObject object) throws ManifestException {
        if (!NAME.matcher(object.name()).matches()) {
            throw object.error("metadata.name", object.name(), "a DNS name: a-z, 0-9, - and .");
        }
        if (!names.add(object.name())) {
            throw object.error(
                    "metadata.name", object.name(), "a name that no other Node has, and none of " + RESERVED);
        }
    }
}
