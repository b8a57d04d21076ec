package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeploymentTest {
    private final TestCluster cluster = new TestCluster("n1", "n2");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void createsReplicasThroughAReplicaSetAndReportsThem() {
        deploy(3, "{}");
        cluster.settle();

        ObjectNode set = cluster.list(Resources.REPLICA_SETS).get(0);
        String hash = Meta.labels(set).path("pod-template-hash").asText();
        assertThat(Meta.name(set)).isEqualTo("web-" + hash);
        assertThat(cluster.list(Resources.PODS)).hasSize(3).allSatisfy(pod -> {
            assertThat(Meta.name(pod)).matches("web-" + hash + "-[a-z0-9]{5}");
            assertThat(Meta.labels(pod).path("pod-template-hash").asText()).isEqualTo(hash);
            assertThat(PodState.node(pod)).isNotEmpty();
        });
        JsonNode status = web().path("status");
        assertThat(status.path("readyReplicas").asInt()).isEqualTo(3);
        assertThat(status.path("updatedReplicas").asInt()).isEqualTo(3);
        assertThat(status.has("unavailableReplicas")).isFalse();
        assertThat(status.path("observedGeneration").asInt()).isEqualTo(1);
        assertThat(ConditionList.isTrue(web(), "Available")).isTrue();
        assertThat(reason("Progressing")).isEqualTo("NewReplicaSetAvailable");
        assertThat(Meta.annotation(web(), "deployment.kubernetes.io/revision")).isEqualTo("1");
        assertThat(cluster.events("web"))
                .containsExactly("ScalingReplicaSet: Scaled up replica set " + Meta.name(set) + " from 0 to 3");
    }

    @Test
    void scalesUpAndDown() {
        deploy(3, "{}");
        cluster.settle();
        scale(50);
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).hasSize(50);
        assertThat(web().path("status").path("availableReplicas").asInt()).isEqualTo(50);
        scale(0);
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).isEmpty();
        assertThat(web().path("status").has("replicas")).isFalse();
        scale(2);
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).hasSize(2);
        assertThat(cluster.list(Resources.REPLICA_SETS)).hasSize(1);
    }

    @Test
    void rollsOutANewTemplateAndBackToTheOld() {
        deploy(4, "{}");
        cluster.settle();
        String first = cluster.names(Resources.REPLICA_SETS).get(0);
        setImage("v2");
        cluster.settle();
        assertThat(images()).containsExactly("v2", "v2", "v2", "v2");
        assertThat(Meta.annotation(web(), "deployment.kubernetes.io/revision")).isEqualTo("2");
        setImage("v1"); // as kubectl rollout undo does
        cluster.settle();
        assertThat(images()).containsExactly("v1", "v1", "v1", "v1");
        assertThat(cluster.list(Resources.REPLICA_SETS)).hasSize(2);
        ObjectNode set = cluster.get(Resources.REPLICA_SETS, first);
        assertThat(Meta.annotation(set, "deployment.kubernetes.io/revision")).isEqualTo("3");
        assertThat(Meta.annotation(set, "deployment.kubernetes.io/revision-history"))
                .isEqualTo("1");
        assertThat(Meta.annotation(web(), "deployment.kubernetes.io/revision")).isEqualTo("3");
    }

    @Test
    void keepsWhatServesWhenTheNewTemplateNeverGetsReady() {
        deploy(
                4,
                "{'progressDeadlineSeconds': 10, 'strategy': {'rollingUpdate': {'maxSurge': 1, 'maxUnavailable': 0}}}");
        cluster.settle();
        setImage("broken");
        cluster.settle();
        assertThat(images()).containsExactlyInAnyOrder("v1", "v1", "v1", "v1", "broken");
        cluster.pass(Duration.ofSeconds(15));
        assertThat(reason("Progressing")).isEqualTo("ProgressDeadlineExceeded");
        assertThat(ConditionList.status(web(), "Progressing")).isEqualTo("False");
        setImage("v1");
        cluster.settle();
        assertThat(images()).containsExactly("v1", "v1", "v1", "v1");
        assertThat(reason("Progressing")).isEqualTo("NewReplicaSetAvailable");
    }

    @Test
    void recreateEndsAllOldPodsBeforeItStartsNewOnes() {
        deploy(3, "{'strategy': {'type': 'Recreate'}}");
        cluster.settle();
        setImage("v2");
        cluster.control();
        assertThat(cluster.list(Resources.PODS)).hasSize(3).allMatch(Meta::isTerminating);
        assertThat(cluster.list(Resources.REPLICA_SETS)).hasSize(1);
        cluster.settle();
        assertThat(images()).containsExactly("v2", "v2", "v2");
    }

    @Test
    void aPausedDeploymentScalesAndDoesNotRollOut() {
        deploy(2, "{'paused': true}");
        cluster.settle();
        assertThat(cluster.list(Resources.REPLICA_SETS)).isEmpty();
        assertThat(reason("Progressing")).isEqualTo("DeploymentPaused");
        pause(false);
        cluster.settle();
        pause(true);
        setImage("v2");
        scale(3);
        cluster.settle();
        assertThat(images()).containsExactly("v1", "v1", "v1");
        pause(false);
        cluster.settle();
        assertThat(images()).containsExactly("v2", "v2", "v2");
    }

    @Test
    void waitsUntilPodsHaveBeenReadyForMinReadySeconds() {
        deploy(2, "{'minReadySeconds': 5}");
        cluster.settle();
        assertThat(web().path("status").path("readyReplicas").asInt()).isEqualTo(2);
        assertThat(web().path("status").has("availableReplicas")).isFalse();
        cluster.pass(Duration.ofSeconds(7));
        assertThat(web().path("status").path("availableReplicas").asInt()).isEqualTo(2);
    }

    @Test
    void keepsAsManyOldRevisionsAsItsLimit() {
        deploy(1, "{'revisionHistoryLimit': 2}");
        cluster.settle();
        for (int i = 2; i < 8; i++) {
            setImage("v" + i);
            cluster.settle();
        }
        assertThat(cluster.list(Resources.REPLICA_SETS)).hasSize(3);
    }

    @Test
    void adoptsAReplicaSetAndPodsWithoutOwner() {
        deploy(2, "{}");
        cluster.settle();
        ObjectNode set = cluster.list(Resources.REPLICA_SETS).get(0);
        List<String> pods = cluster.names(Resources.PODS);
        cluster.change(
                Resources.REPLICA_SETS,
                Meta.name(set),
                copy -> copy.withObjectProperty("metadata").remove("ownerReferences"));
        cluster.change(
                Resources.PODS,
                pods.get(0),
                copy -> copy.withObjectProperty("metadata").remove("ownerReferences"));
        cluster.settle();
        assertThat(cluster.names(Resources.PODS)).isEqualTo(pods);
        assertThat(cluster.podsOf(set)).hasSize(2);
    }

    @Test
    void aPodThatLosesItsLabelIsReleasedAndReplaced() {
        deploy(2, "{}");
        cluster.settle();
        String pod = cluster.names(Resources.PODS).get(0);
        cluster.change(Resources.PODS, pod, copy -> Meta.label(copy, "app", "other"));
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).hasSize(3);
        assertThat(cluster.get(Resources.PODS, pod).path("metadata").has("ownerReferences"))
                .isFalse();
    }

    @Test
    void aPodThatIsGivenToAnotherOwnerIsReplaced() {
        deploy(2, "{}");
        ObjectNode other = TestObjects.workload(Resources.REPLICA_SETS, "other", 0, "v1", "{}");
        ObjectNode created = cluster.create(Resources.REPLICA_SETS, other);
        cluster.settle();
        String pod = cluster.names(Resources.PODS).get(0);
        cluster.change(Resources.PODS, pod, copy -> {
            copy.withObjectProperty("metadata").remove("ownerReferences");
            Owners.control(copy, created);
            Meta.label(copy, "app", "other");
        });
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).hasSize(2);
        assertThat(cluster.names(Resources.PODS)).doesNotContain(pod);
    }

    private void deploy(int replicas, String spec) {
        cluster.create(Resources.DEPLOYMENTS, TestObjects.workload(Resources.DEPLOYMENTS, "web", replicas, "v1", spec));
    }

    private ObjectNode web() {
        return cluster.get(Resources.DEPLOYMENTS, "web");
    }

    private void scale(int replicas) {
        cluster.change(
                Resources.DEPLOYMENTS,
                "web",
                copy -> copy.withObjectProperty("spec").put("replicas", replicas));
    }

    private void pause(boolean paused) {
        cluster.change(
                Resources.DEPLOYMENTS,
                "web",
                copy -> copy.withObjectProperty("spec").put("paused", paused));
    }

    private void setImage(String image) {
        cluster.change(
                Resources.DEPLOYMENTS,
                "web",
                copy -> ((ObjectNode) copy.at("/spec/template/spec/containers/0")).put("image", image));
    }

    private String reason(String condition) {
        return ConditionList.find(web(), condition).orElseThrow().path("reason").asText();
    }

    private List<String> images() {
        return cluster.list(Resources.PODS).stream()
                .map(pod -> pod.at("/spec/containers/0/image").asText())
                .toList();
    }
}
