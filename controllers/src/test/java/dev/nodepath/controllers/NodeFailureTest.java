package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodeFailureTest {
    private final TestCluster cluster = new TestCluster("n1", "n2");

    @BeforeEach
    void deploy() {
        cluster.create(Resources.DEPLOYMENTS, TestObjects.workload(Resources.DEPLOYMENTS, "web", 4, "v1", "{}"));
        cluster.create(Resources.SERVICES, TestObjects.service("web", "{'ports': [{'port': 80}]}"));
        cluster.settle();
        assertThat(readyEndpoints()).isEqualTo(4);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aNodeWhoseLeaseExpiresLosesItsEndpointsAndGetsThemBack() {
        cluster.kubelet().setCutOff("n2", true);
        cluster.pass(Duration.ofSeconds(3));
        assertThat(readyEndpoints()).isEqualTo(4);
        cluster.pass(Duration.ofSeconds(2));
        assertThat(readyEndpoints()).isEqualTo(2);
        ObjectNode node = cluster.get(Resources.NODES, "n2");
        assertThat(ConditionList.find(node, "Ready")).hasValueSatisfying(ready -> {
            assertThat(ready.path("status").asText()).isEqualTo("Unknown");
            assertThat(ready.path("reason").asText()).isEqualTo("NodeStatusUnknown");
            assertThat(ready.path("message").asText()).isEqualTo("Kubelet stopped posting node status.");
        });
        assertThat(node.path("spec").path("taints").findValuesAsText("key"))
                .containsOnly("node.kubernetes.io/unreachable");
        assertThat(node.path("spec").path("taints").findValuesAsText("effect"))
                .containsExactly("NoSchedule", "NoExecute");
        assertThat(cluster.get(Resources.DEPLOYMENTS, "web")
                        .at("/status/availableReplicas")
                        .asInt())
                .isEqualTo(2);

        cluster.kubelet().setCutOff("n2", false);
        cluster.pass(Duration.ofSeconds(1));
        assertThat(readyEndpoints()).isEqualTo(4);
        assertThat(cluster.get(Resources.NODES, "n2").path("spec").has("taints"))
                .isFalse();
    }

    @Test
    void podsOfALostNodeAreReplacedElsewhere() {
        List<String> before = podsOn("n2");
        cluster.kubelet().setCutOff("n2", true);
        cluster.pass(Duration.ofSeconds(13));
        assertThat(podsOn("n1")).hasSize(2);
        cluster.pass(Duration.ofSeconds(4));
        assertThat(podsOn("n1")).hasSize(4);
        assertThat(readyEndpoints()).isEqualTo(4);
        assertThat(podsOn("n2")).isEqualTo(before);
        assertThat(cluster.list(Resources.PODS).stream().filter(Meta::isTerminating))
                .hasSize(2)
                .allMatch(pod -> ConditionList.isTrue(pod, "DisruptionTarget"));

        cluster.kubelet().setCutOff("n2", false);
        cluster.pass(Duration.ofSeconds(1));
        assertThat(podsOn("n2")).isEmpty();
        assertThat(cluster.list(Resources.PODS)).hasSize(4);
    }

    @Test
    void podsOfADeletedNodeAreDeletedAndReplaced() {
        List<ObjectNode> gone = new ArrayList<>();
        cluster.api().subscribe(Resources.PODS, event -> {
            if (event.type() == ChangeEvent.Type.DELETED) {
                gone.add(event.object());
            }
        });
        cluster.delete(Resources.NODES, "n2");
        cluster.settle();
        assertThat(podsOn("n2")).hasSize(2);
        cluster.pass(Duration.ofSeconds(4));
        assertThat(gone).hasSize(2).allSatisfy(pod -> {
            assertThat(PodState.phase(pod)).isEqualTo("Failed");
            assertThat(ConditionList.find(pod, "DisruptionTarget")).hasValueSatisfying(why -> {
                assertThat(why.path("status").asText()).isEqualTo("True");
                assertThat(why.path("reason").asText()).isEqualTo("DeletionByPodGC");
                assertThat(why.path("message").asText()).isEqualTo("PodGC: node no longer exists");
            });
        });
        assertThat(podsOn("n2")).isEmpty();
        assertThat(podsOn("n1")).hasSize(4);
    }

    @Test
    void aPodThatWaitsForItsNodeStaysUntilTheNodeComes() {
        cluster.create(Resources.PODS, TestObjects.pod("early", "{'nodeName': 'n3'}"));
        cluster.pass(Duration.ofSeconds(2));
        cluster.kubelet().addNode("n3", Map.of());
        cluster.pass(Duration.ofSeconds(5));
        assertThat(podsOn("n3")).containsExactly("early");
    }

    @Test
    void aCordonedNodeKeepsItsPodsAndGetsNoNewOnes() {
        cluster.change(
                Resources.NODES, "n2", node -> node.withObjectProperty("spec").put("unschedulable", true));
        cluster.change(
                Resources.DEPLOYMENTS,
                "web",
                web -> web.withObjectProperty("spec").put("replicas", 6));
        cluster.settle();
        assertThat(podsOn("n1")).hasSize(4);
        assertThat(podsOn("n2")).hasSize(2);
        assertThat(cluster.get(Resources.NODES, "n2").at("/spec/taints/0/key").asText())
                .isEqualTo("node.kubernetes.io/unschedulable");
    }

    @Test
    void aTaintThatNobodyToleratesEvictsAtOnce() {
        cluster.change(
                Resources.NODES,
                "n2",
                node -> node.withObjectProperty("spec")
                        .withArrayProperty("taints")
                        .addObject()
                        .put("key", "dedicated")
                        .put("effect", "NoExecute"));
        cluster.settle();
        assertThat(podsOn("n2")).isEmpty();
        assertThat(podsOn("n1")).hasSize(4);
    }

    private List<String> podsOn(String node) {
        return cluster.list(Resources.PODS).stream()
                .filter(pod -> PodState.node(pod).equals(node))
                .map(Meta::name)
                .toList();
    }

    private long readyEndpoints() {
        return cluster.list(Resources.ENDPOINT_SLICES).stream()
                .flatMap(slice -> slice.path("endpoints").valueStream())
                .filter(endpoint -> endpoint.at("/conditions/ready").asBoolean())
                .count();
    }
}
