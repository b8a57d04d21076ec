package dev.nodepath.controllers.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.TestObjects;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementTest {
    private static final String READY = "'status': {'conditions': [{'type': 'Ready', 'status': 'True'}]}";
    private static final String ANTI =
            "{'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': ["
                    + "{'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels': {'app': 'web'}}}]}}}";

    /** Two Nodes: n1 in zone a, n2 in zone b with a taint. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {}                                                                    | n1
            {'nodeSelector': {'zone': 'a'}}                                       | n1
            {'nodeSelector': {'zone': 'c'}}                                       | 0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {dedicated: db}.
            {'nodeSelector': {'zone': 'b'}, 'tolerations': [{'key': 'dedicated', 'operator': 'Exists'}]}   | n2
            {'nodeSelector': {'zone': 'b'}, 'tolerations': [{'operator': 'Exists'}]}                       | n2
            {'nodeSelector': {'zone': 'b'}, 'tolerations': [{'key': 'dedicated', 'value': 'db'}]}          | n2
            {'nodeSelector': {'zone': 'c'}, 'tolerations': [{'key': 'dedicated', 'value': 'db'}]}          | 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.
            {'affinity': {'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'zone', 'operator': 'In', 'values': ['a', 'c']}]}]}}}} | n1
            {'affinity': {'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': {'nodeSelectorTerms': [{'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': ['n9']}]}]}}}, 'tolerations': [{'operator': 'Exists'}]} | 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.
            """)
    void choosesANodeOrSaysWhyNot(String spec, String expected) {
        List<ObjectNode> nodes = List.of(
                node("n1", "{'metadata': {'labels': {'zone': 'a'}}, " + READY + "}"),
                node(
                        "n2",
                        "{'metadata': {'labels': {'zone': 'b'}}, 'spec': {'taints': ["
                                + "{'key': 'dedicated', 'value': 'db', 'effect': 'NoSchedule'}]}, " + READY + "}"));
        Placement placement = Placement.of(TestObjects.pod("p", spec), nodes, new NodeLoads(List.of()));
        assertThat(placement.node() + placement.message()).isEqualTo(expected);
    }

    @Test
    void takesNoNodeThatIsCordonedNotReadyOrUnknown() {
        List<ObjectNode> nodes = List.of(
                node("n1", "{'spec': {'unschedulable': true}, " + READY + "}"),
                node("n2", "{'status': {'conditions': [{'type': 'Ready', 'status': 'False'}]}}"),
                node("n3", "{'status': {'conditions': [{'type': 'Ready', 'status': 'Unknown'}]}}"));
        assertThat(Placement.of(TestObjects.pod("p", "{}"), nodes, new NodeLoads(List.of()))
                        .message())
                .isEqualTo("0/3 nodes are available:"
                        + " 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: },"
                        + " 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: },"
                        + " 1 node(s) were unschedulable.");
        assertThat(Placement.of(TestObjects.pod("p", "{}"), List.of(), new NodeLoads(List.of()))
                        .message())
                .isEqualTo("no nodes available to schedule pods");
    }

    @Test
    void spreadsThePodsOfOneOwnerBeforeItCountsAll() {
        List<ObjectNode> nodes = List.of(ready("n1"), ready("n2"), ready("n3"));
        List<ObjectNode> present = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            present.add(owned("other-" + i, "other", "n1"));
        }
        present.add(owned("web-0", "web", "n2"));
        NodeLoads loads = new NodeLoads(present);
        List<String> chosen = new ArrayList<>();
        for (int i = 1; i < 6; i++) {
            chosen.add(Placement.of(owned("web-" + i, "web", ""), nodes, loads).node());
        }
        assertThat(chosen).containsExactly("n3", "n1", "n2", "n3", "n1");
    }

    @Test
    void keepsPodsApartThatRefuseEachOther() {
        List<ObjectNode> nodes = List.of(ready("n1"), ready("n2"));
        NodeLoads loads = new NodeLoads(List.of());
        assertThat(Placement.of(TestObjects.pod("a", ANTI), nodes, loads).node())
                .isEqualTo("n1");
        assertThat(Placement.of(TestObjects.pod("b", ANTI), nodes, loads).node())
                .isEqualTo("n2");
        assertThat(Placement.of(TestObjects.pod("c", ANTI), nodes, loads).message())
                .isEqualTo("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.");
        assertThat(Placement.of(TestObjects.pod("d", "{}"), nodes, loads).message())
                .isEqualTo("0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules.");
    }

    @Test
    void givesEachPortOfANodeOnce() {
        List<ObjectNode> nodes = List.of(ready("n1"));
        NodeLoads loads = new NodeLoads(List.of());
        assertThat(Placement.of(hostPort("a", 80, "0.0.0.0"), nodes, loads).node())
                .isEqualTo("n1");
        assertThat(Placement.of(hostPort("b", 81, "127.0.0.1"), nodes, loads).node())
                .isEqualTo("n1");
        assertThat(Placement.of(hostPort("c", 81, "127.0.0.2"), nodes, loads).node())
                .isEqualTo("n1");
        assertThat(Placement.of(hostPort("d", 80, "127.0.0.1"), nodes, loads).message())
                .isEqualTo("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.");
    }

    @Test
    void keepsTheSkewOfASpreadConstraint() {
        List<ObjectNode> nodes = List.of(ready("n1"), node("n2", "{'spec': {'unschedulable': true}, " + READY + "}"));
        NodeLoads loads = new NodeLoads(List.of());
        String spread = "{'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey': 'kubernetes.io/hostname',"
                + " 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {'matchLabels': {'app': 'web'}}}]}";
        assertThat(Placement.of(TestObjects.pod("a", spread), nodes, loads).node())
                .isEqualTo("n1");
        assertThat(Placement.of(TestObjects.pod("b", spread), nodes, loads).message())
                .isEqualTo("0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints,"
                        + " 1 node(s) were unschedulable.");
    }

    private static ObjectNode hostPort(String name, int port, String address) {
        return TestObjects.pod(
                name, "{'containers': [{'ports': [{'hostPort': " + port + ", 'hostIP': '" + address + "'}]}]}");
    }

    private static ObjectNode ready(String name) {
        return node(name, "{" + READY + "}");
    }

    private static ObjectNode node(String name, String rest) {
        ObjectNode node = TestObjects.json(rest);
        node.withObjectProperty("metadata")
                .put("name", name)
                .withObjectProperty("labels")
                .put("kubernetes.io/hostname", name);
        return node;
    }

    private static ObjectNode owned(String name, String owner, String node) {
        ObjectNode pod = TestObjects.pod(name, "{'nodeName': '" + node + "'}");
        pod.withObjectProperty("metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("uid", owner)
                .put("controller", true);
        return pod;
    }
}
