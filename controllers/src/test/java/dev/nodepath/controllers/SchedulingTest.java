package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchedulingTest {
    private final TestCluster cluster = new TestCluster("n1", "n2");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void bindsAPodAndTellsIt() {
        cluster.create(Resources.PODS, TestObjects.pod("p", "{}"));
        cluster.control();
        assertThat(PodState.node(cluster.get(Resources.PODS, "p"))).isEqualTo("n1");
        assertThat(ConditionList.status(cluster.get(Resources.PODS, "p"), "PodScheduled"))
                .isEqualTo("True");
        assertThat(cluster.events("p")).containsExactly("Scheduled: Successfully assigned default/p to n1");
    }

    @Test
    void aPodWithGatesWaitsInSilenceUntilTheLastIsGone() {
        cluster.create(Resources.PODS, TestObjects.pod("p", "{'schedulingGates': [{'name': 'a'}]}"));
        cluster.settle();
        assertThat(PodState.node(cluster.get(Resources.PODS, "p"))).isEmpty();
        assertThat(cluster.events("p")).isEmpty();
        cluster.change(
                Resources.PODS, "p", pod -> pod.withObjectProperty("spec").putArray("schedulingGates"));
        cluster.settle();
        assertThat(PodState.node(cluster.get(Resources.PODS, "p"))).isNotEmpty();
    }

    @Test
    void tellsOnceWhyAPodWaitsAndBindsItWhenANodeFits() {
        cluster.create(Resources.PODS, TestObjects.pod("p", "{'nodeSelector': {'disk': 'fast'}}"));
        cluster.control();
        cluster.kubelet().addNode("n3", Map.of());
        cluster.delete(Resources.NODES, "n3");
        cluster.pass(Duration.ofSeconds(5));
        String message = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
        assertThat(cluster.events("p")).contains("FailedScheduling: " + message);
        assertThat(ConditionList.find(cluster.get(Resources.PODS, "p"), "PodScheduled"))
                .hasValueSatisfying(condition -> {
                    assertThat(condition.path("status").asText()).isEqualTo("False");
                    assertThat(condition.path("reason").asText()).isEqualTo("Unschedulable");
                    assertThat(condition.path("message").asText()).isEqualTo(message);
                });
        cluster.kubelet().addNode("n4", Map.of("disk", "fast"));
        cluster.settle();
        assertThat(PodState.node(cluster.get(Resources.PODS, "p"))).isEqualTo("n4");
    }
}
