package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.Cidr;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TopologyReaderTest {
    @TempDir
    private Path folder;

    @Test
    void readsTheTopologyThatComesWithNodepath() throws IOException, TopologyException {
        Topology topology = read(defaultTopology());

        assertThat(topology.nodes()).extracting(node -> node.name()).containsExactly("n1", "n2");
        assertThat(topology.objects())
                .extracting(object -> object.name())
                .containsExactly(
                        "web-1", "web-2", "client-1", "web-3", "solo", "client-2", "web", "web-n1", "solo", "void");
        assertThat(topology.clusterCidrs()).containsExactly(Cidr.parse("10.244.0.0/22"));
    }

    @Test
    void readsDualStackNodesOnTwoNetworks() throws IOException, TopologyException {
        Topology topology = TopologyReader.read(
                Path.of(System.getProperty("nodepath.home"), "docs", "topologies", "two-networks.yaml"));

        assertThat(topology.networks())
                .extracting(NodeNetwork::toString)
                .containsExactly("172.30.0.0/24 and fd30::/64", "172.31.0.0/24 and fd31::/64");
        assertThat(topology.clusterCidrs()).containsExactly(Cidr.parse("10.244.0.0/22"), Cidr.parse("fd44::/62"));
        assertThat(topology.clientAddresses()).extracting(Object::toString).containsExactly("172.30.0.254", "fd30::fe");
    }

    static Stream<Arguments> brokenTopologies() {
        return Stream.of(
                Arguments.of(
                        "overlapping podCIDRs",
                        "podCIDR: 10.244.2.0/24",
                        "podCIDR: 10.244.1.128/25",
                        "Node n2: spec.podCIDR: 10.244.1.128/25: overlaps with 10.244.1.0/24 of Node n1"
                                + " (expected: a network of its own)"),
                Arguments.of(
                        "podCIDR in the nodes' network",
                        "podCIDR: 10.244.2.0/24",
                        "podCIDR: 172.30.0.0/25",
                        "overlaps with the nodes' network 172.30.0.0/24 (expected: a network of its own)"),
                Arguments.of(
                        "podCIDRs too far apart",
                        "podCIDR: 10.244.2.0/24",
                        "podCIDR: 192.168.2.0/24",
                        "covered by 0.0.0.0/0, which has node n1 in it"),
                Arguments.of(
                        "podCIDR with host bits",
                        "podCIDR: 10.244.2.0/24",
                        "podCIDR: 10.244.2.1/24",
                        "spec.podCIDR: [10.244.2.1/24] (expected: an IPv4 network of at most /30, host bits zero)"),
                Arguments.of(
                        "a CIDR that is none",
                        "podCIDR: 10.244.2.0/24",
                        "podCIDR: 10.244.2.0/33",
                        "spec.podCIDR: \"10.244.2.0/33\" (expected: a CIDR"),
                Arguments.of(
                        "IPv6 address of one node alone",
                        "{type: InternalIP, address: 172.30.0.12}",
                        "{type: InternalIP, address: 172.30.0.12}\n    - {type: InternalIP, address: \"fd30::12\"}",
                        "[172.30.0.12, fd30::12] (expected: of the same families as those of Node n1)"),
                Arguments.of(
                        "IPv6 address first",
                        "address: 172.30.0.12",
                        "address: \"fd30::12\"",
                        "[fd30::12] (expected: an IPv4 address of type InternalIP first, and at most one of IPv6)"),
                Arguments.of(
                        "node address of the router",
                        "address: 172.30.0.12",
                        "address: 172.31.0.253",
                        "172.31.0.253 (expected: a host address of 172.31.0.0/24 other than number 253 and 254, the"
                                + " router's and the client's)"),
                Arguments.of(
                        "node address of another node",
                        "address: 172.30.0.12",
                        "address: 172.30.0.11",
                        "172.30.0.11: also the address of Node n1 (expected: one of its own)"),
                Arguments.of(
                        "node address of the client",
                        "address: 172.30.0.12",
                        "address: 172.30.0.254",
                        "172.30.0.254 (expected: a host address of 172.30.0.0/24 other than number 253 and 254, the"
                                + " router's and the client's)"),
                Arguments.of(
                        "node address that is none",
                        "address: 172.30.0.12",
                        "address: 172.30.0",
                        "status.addresses[0].address: \"172.30.0\" (expected: an IPv4 or IPv6 address)"),
                Arguments.of(
                        "pod on an unknown node",
                        "nodeName: n2",
                        "nodeName: n3",
                        "Pod default/web-3: spec.nodeName: \"n3\" (expected: one of the Nodes [n1, n2])"),
                Arguments.of(
                        "a node name that leads elsewhere",
                        "name: n1\n  labels",
                        "name: ../n1\n  labels",
                        "metadata.name: \"../n1\" (expected: a DNS name: a-z, 0-9, - and .)"),
                Arguments.of("broken YAML", "metadata:", "metadata: [", "line"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenTopologies")
    void saysInOneLineWhatIsWrong(String name, String right, String wrong, String message) throws IOException {
        int last = defaultTopology().lastIndexOf(right);
        int at = right.contains("podCIDR") || right.contains("172.30")
                ? last
                : defaultTopology().indexOf(right);
        String text =
                defaultTopology().substring(0, at) + wrong + defaultTopology().substring(at + right.length());

        assertThatThrownBy(() -> read(text))
                .isInstanceOf(TopologyException.class)
                .message()
                .contains(message)
                .contains("topology.yaml")
                .doesNotContain("\n");
    }

    @Test
    void saysAllThatIsWrongAtOnce() {
        assertThatThrownBy(() -> read("""
                        apiVersion: v1
                        kind: Node
                        metadata: {name: n_1}
                        spec: {podCIDR: 10.244.1.0/24}
                        ---
                        apiVersion: v1
                        kind: Node
                        metadata: {name: switch}
                        spec: {podCIDR: 10.244.2.0/24}
                        status: {addresses: [{type: InternalIP, address: 172.30.0.254}]}
                        """))
                .isInstanceOfSatisfying(
                        TopologyException.class,
                        wrong -> assertThat(wrong.problems())
                                .hasSize(4)
                                .anySatisfy(problem ->
                                        assertThat(problem).contains("line 3", "\"n_1\" (expected: a DNS name"))
                                .anySatisfy(problem -> assertThat(problem).contains("Node n_1", "status.addresses: []"))
                                .anySatisfy(problem ->
                                        assertThat(problem).contains("\"switch\" (expected: a name that no other Node"))
                                .anySatisfy(problem -> assertThat(problem)
                                        .contains("Node switch", "[172.30.0.254] (expected: of the same families")));
    }

    @Test
    void makesNodesWhereManifestsHaveNone() throws IOException, TopologyException {
        Topology topology = read(NodeManifests.of(3));

        assertThat(topology.nodes()).extracting(node -> node.name()).containsExactly("n1", "n2", "n3");
        assertThat(topology.nodes()).extracting(node -> node.zone()).containsExactly("a", "b", "a");
        assertThat(topology.nodes().get(2).addresses())
                .extracting(Object::toString)
                .containsExactly("172.30.0.13");
        assertThat(topology.nodes().get(2).podCidrs()).containsExactly(Cidr.parse("10.244.3.0/24"));
        assertThat(topology.objects()).isEmpty();
    }

    private Topology read(String text) throws IOException, TopologyException {
        Path file = folder.resolve("topology.yaml");
        Files.writeString(file, text);
        return TopologyReader.read(file);
    }

    private static String defaultTopology() throws IOException {
        try (InputStream content = Objects.requireNonNull(TopologyReader.class.getResourceAsStream("two-nodes.yaml"))) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
