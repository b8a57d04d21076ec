package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DaemonSetTest {
    private final TestCluster cluster = new TestCluster("n1", "n2", "n3");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void runsOnePodOnEachNodeAlsoOnOnesThatComeLater() {
        create("{}");
        cluster.settle();
        assertThat(nodes()).containsExactly("n1", "n2", "n3");
        cluster.kubelet().addNode("n4", Map.of());
        cluster.settle();
        assertThat(nodes()).containsExactly("n1", "n2", "n3", "n4");
        cluster.change(
                Resources.NODES, "n4", node -> node.withObjectProperty("spec").put("unschedulable", true));
        cluster.delete(Resources.PODS, cluster.names(Resources.PODS).get(0));
        cluster.settle();
        assertThat(nodes()).containsExactly("n1", "n2", "n3", "n4");
        assertThat(agent().at("/status/numberAvailable").asInt()).isEqualTo(4);
        cluster.delete(Resources.NODES, "n4");
        cluster.pass(Duration.ofSeconds(4));
        assertThat(nodes()).containsExactly("n1", "n2", "n3");
        assertThat(agent().at("/status/desiredNumberScheduled").asInt()).isEqualTo(3);
    }

    @Test
    void followsTheNodeSelectorAndTaints() {
        cluster.change(Resources.NODES, "n1", node -> Meta.label(node, "disk", "fast"));
        cluster.change(Resources.NODES, "n2", node -> {
            Meta.label(node, "disk", "fast");
            node.withObjectProperty("spec")
                    .withArrayProperty("taints")
                    .addObject()
                    .put("key", "x")
                    .put("effect", "NoSchedule");
        });
        ObjectNode set = TestObjects.workload(Resources.DAEMON_SETS, "agent", 0, "v1", "{}");
        ((ObjectNode) set.at("/spec/template/spec")).putObject("nodeSelector").put("disk", "fast");
        cluster.create(Resources.DAEMON_SETS, set);
        cluster.settle();
        assertThat(nodes()).containsExactly("n1");
        cluster.change(Resources.NODES, "n1", node -> Meta.label(node, "disk", "slow"));
        cluster.change(
                Resources.NODES, "n2", node -> node.withObjectProperty("spec").remove("taints"));
        cluster.settle();
        assertThat(nodes()).containsExactly("n2");
    }

    @Test
    void updatesNodeByNodeAndKeepsRevisions() {
        create("{}");
        cluster.settle();
        cluster.change(
                Resources.DAEMON_SETS,
                "agent",
                copy -> ((ObjectNode) copy.at("/spec/template/spec/containers/0")).put("image", "v2"));
        cluster.control();
        assertThat(cluster.list(Resources.PODS).stream().filter(Meta::isTerminating))
                .hasSize(1);
        cluster.settle();
        assertThat(cluster.list(Resources.PODS))
                .hasSize(3)
                .allMatch(pod -> pod.at("/spec/containers/0/image").asText().equals("v2"));
        assertThat(agent().at("/status/updatedNumberScheduled").asInt()).isEqualTo(3);
        assertThat(cluster.list(Resources.CONTROLLER_REVISIONS)).hasSize(2);
        String hash = Meta.labels(cluster.list(Resources.PODS).get(0))
                .path("controller-revision-hash")
                .asText();
        assertThat(cluster.names(Resources.CONTROLLER_REVISIONS)).contains("agent-" + hash);
    }

    @Test
    void aBrokenUpdateStopsAtTheFirstNode() {
        create("{}");
        cluster.settle();
        cluster.change(
                Resources.DAEMON_SETS,
                "agent",
                copy -> ((ObjectNode) copy.at("/spec/template/spec/containers/0")).put("image", "broken"));
        cluster.settle();
        assertThat(cluster.list(Resources.PODS).stream().filter(PodState::isReady))
                .hasSize(2);
        assertThat(agent().at("/status/numberUnavailable").asInt()).isEqualTo(1);
    }

    @Test
    void staysOnANodeThatIsNotHeardOf() {
        create("{}");
        cluster.settle();
        cluster.kubelet().setCutOff("n2", true);
        cluster.pass(Duration.ofSeconds(30));
        assertThat(cluster.list(Resources.PODS)).hasSize(3).noneMatch(Meta::isTerminating);
        assertThat(agent().at("/status/numberReady").asInt()).isEqualTo(2);
    }

    private void create(String spec) {
        cluster.create(Resources.DAEMON_SETS, TestObjects.workload(Resources.DAEMON_SETS, "agent", 0, "v1", spec));
    }

    private ObjectNode agent() {
        return cluster.get(Resources.DAEMON_SETS, "agent");
    }

    private List<String> nodes() {
        return cluster.list(Resources.PODS).stream()
                .map(PodState::node)
                .sorted()
                .toList();
    }
}
