package dev.nodepath.emulator.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.linux.address.Cidr;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
    void readsTheTopologyThatComesWithNodepath() throws IOException, ManifestException {
        Topology topology = read(defaultTopology());

        assertThat(topology.nodes()).extracting(node -> node.name()).containsExactly("n1", "n2");
        assertThat(topology.pods()).hasSize(6);
        assertThat(topology.services())
                .extracting(service -> service.name().name())
                .containsExactly("web", "web-n1", "solo", "void");
        assertThat(topology.clusterCidrs()).containsExactly(Cidr.parse("10.244.0.0/22"));
        PodSpec web = topology.pods().get(0);
        assertThat(web.ports()).containsEntry("http", 8080).containsEntry("bulk", 5001);
        assertThat(web.readiness()).contains(new PodSpec.Probe(Optional.of("/readyz"), 8080));
        PodSpec client = topology.pods().get(2);
        assertThat(client.command()).isEqualTo(List.of("sleep", "infinity"));
        assertThat(topology.service("web-n1").orElseThrow().port("bulk"))
                .isEqualTo(new ServiceSpec.Port("bulk", Protocol.TCP, 5001, "bulk", 30181));
    }

    @Test
    void readsDualStackNodesOnTwoNetworks() throws IOException, ManifestException {
        Topology topology = TopologyReader.read(
                Path.of(System.getProperty("nodepath.home"), "docs", "topologies", "two-networks.yaml"));

        assertThat(topology.networks())
                .extracting(NodeNetwork::toString)
                .containsExactly("172.30.0.0/24 and fd30::/64", "172.31.0.0/24 and fd31::/64");
        assertThat(topology.clusterCidrs()).containsExactly(Cidr.parse("10.244.0.0/22"), Cidr.parse("fd44::/62"));
        assertThat(topology.clientAddresses()).extracting(Object::toString).containsExactly("172.30.0.254", "fd30::fe");
        assertThat(topology.service("web").orElseThrow().clusterIps())
                .extracting(Object::toString)
                .containsExactly("10.96.0.10", "fd96::10");
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
                        "pod named like a node",
                        "name: solo\n  labels",
                        "name: n1\n  labels",
                        "metadata.name: \"n1\" (expected: a name that no other Node or Pod has"),
                Arguments.of("two pods of one name", "name: web-2", "name: web-1", "Pod default/web-1: already in"),
                Arguments.of(
                        "container port out of range",
                        "containerPort: 8080",
                        "containerPort: 80800",
                        "containerPort: 80800 (expected: 1 to 65535)"),
                Arguments.of(
                        "service port out of range",
                        "port: 80,",
                        "port: 70000,",
                        "Service default/web: spec.ports[0].port: 70000 (expected: 1 to 65535)"),
                Arguments.of(
                        "probe of a port that the pod does not have",
                        "path: /readyz, port: http",
                        "path: /readyz, port: www",
                        "readinessProbe.httpGet.port: \"www\" (expected: a number, or one of the ports [http, bulk])"),
                Arguments.of(
                        "service without a cluster IP",
                        "  clusterIP: 10.96.0.11\n",
                        "",
                        "Service default/web-n1: spec.clusterIP: missing (expected: an IPv4 or IPv6 address)"),
                Arguments.of(
                        "two services with one cluster IP",
                        "clusterIP: 10.96.0.11",
                        "clusterIP: 10.96.0.10",
                        "Service default/web-n1: spec.clusterIP: \"10.96.0.10\""
                                + " (expected: another address than that of Service default/web)"),
                Arguments.of(
                        "cluster IP among the pods",
                        "clusterIP: 10.96.0.11",
                        "clusterIP: 10.244.1.7",
                        "\"10.244.1.7\" (expected: an address outside the podCIDR 10.244.1.0/24)"),
                Arguments.of(
                        "two services with one node port",
                        "nodePort: 30180",
                        "nodePort: 30080",
                        "nodePort 30080 (expected: another than those of Service default/web)"),
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
                .isInstanceOf(ManifestException.class)
                .message()
                .contains(message)
                .contains("topology.yaml")
                .doesNotContain("\n");
    }

    @Test
    void wantsAtLeastOneNode() {
        assertThatThrownBy(() -> read("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"))
                .hasMessageContaining("no Node (expected: at least one)");
    }

    private Topology read(String text) throws IOException, ManifestException {
        Path file = folder.resolve("topology.yaml");
        Files.writeString(file, text);
        return TopologyReader.read(file);
    }

    private static String defaultTopology() throws IOException {
        try (InputStream content = Objects.requireNonNull(
                TopologyReader.class.getResourceAsStream("/dev/nodepath/emulator/two-nodes.yaml"))) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
