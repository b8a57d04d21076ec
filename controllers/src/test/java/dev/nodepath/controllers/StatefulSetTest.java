package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.rules.StandardStorage;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatefulSetTest {
    private final TestCluster cluster = new TestCluster("n1", "n2");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void createsPodsInOrderWithStableNames() {
        create(3, "{}");
        cluster.control();
        assertThat(cluster.names(Resources.PODS)).containsExactly("db-0");
        cluster.settle();
        assertThat(cluster.names(Resources.PODS)).containsExactly("db-0", "db-1", "db-2");
        ObjectNode pod = cluster.get(Resources.PODS, "db-1");
        assertThat(pod.at("/spec/hostname").asText()).isEqualTo("db-1");
        assertThat(pod.at("/spec/subdomain").asText()).isEqualTo("db");
        String revision = db().at("/status/updateRevision").asText();
        assertThat(Meta.labels(pod))
                .isEqualTo(TestObjects.json("{'app': 'db',"
                        + " 'statefulset.kubernetes.io/pod-name': 'db-1', 'apps.kubernetes.io/pod-index': '1',"
                        + " 'controller-revision-hash': '" + revision + "'}"));
        assertThat(db().path("status"))
                .isEqualTo(TestObjects.json(String.format(
                                "{'replicas': 3, 'readyReplicas': 3, 'availableReplicas': 3, 'currentReplicas': 3, 'updatedReplicas': 3,"
                                        + " 'currentRevision': '%s', 'updateRevision': '%s', 'collisionCount': 0}",
                                revision, revision))
                        .set("observedGeneration", db().at("/status/observedGeneration")));
        assertThat(cluster.events("db")).contains("SuccessfulCreate: create Pod db-0 in StatefulSet db successful");
    }

    @Test
    void eachClaimBecomesAVolumeOfThePod() {
        create(2, "{'volumeClaimTemplates': [{'metadata': {'name': 'pages'}}]}");
        cluster.change(
                Resources.STATEFUL_SETS,
                "db",
                set -> set.withObjectProperty("spec")
                        .withObjectProperty("template")
                        .withObjectProperty("spec")
                        .set(
                                "volumes",
                                TestObjects.json("{'v': [{'name': 'pages'}, {'name': 'tmp', 'emptyDir': {}}]}")
                                        .path("v")));
        cluster.settle();
        assertThat(cluster.get(Resources.PODS, "db-0").at("/spec/volumes"))
                .isEqualTo(TestObjects.json("{'v': [{'name': 'pages', 'persistentVolumeClaim': {'claimName':"
                                + " 'pages-db-0'}}, {'name': 'tmp', 'emptyDir': {}}]}")
                        .path("v"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        Retain | Retain | db-0 db-1 db-2 | db-0 db-1 db-2
        Delete | Retain | db-0           | db-0
        Retain | Delete | db-0 db-1 db-2 | ''
        Delete | Delete | db-0           | ''
        """)
    void claimsGoWithPodsOrWithTheSetAsItsPolicySays(
            String whenScaled, String whenDeleted, String scaled, String gone) {
        StandardStorage.create(cluster.api());
        create(
                3,
                "{'volumeClaimTemplates': [{'metadata': {'name': 'd'}, 'spec': {}}],"
                        + " 'persistentVolumeClaimRetentionPolicy':"
                        + " {'whenScaled':"
                        + " '" + whenScaled + "', 'whenDeleted': '" + whenDeleted + "'}}");
        cluster.settle();
        assertThat(claims()).isEqualTo("db-0 db-1 db-2");
        scale(1);
        assertThat(claims()).isEqualTo(scaled);
        scale(3);
        assertThat(claims()).isEqualTo("db-0 db-1 db-2");
        scale(1);
        cluster.delete(Resources.STATEFUL_SETS, "db");
        cluster.settle();
        assertThat(claims()).isEqualTo(gone);
    }

    @Test
    void aSetThatGrowsAgainTakesNoClaimThatGoesWithThePodBefore() {
        StandardStorage.create(cluster.api());
        create(
                2,
                "{'volumeClaimTemplates': [{'metadata': {'name': 'd'}, 'spec': {}}],"
                        + " 'persistentVolumeClaimRetentionPolicy': {'whenScaled': 'Delete'}}");
        cluster.settle();
        replicas(1);
        cluster.control();
        assertThat(Owners.isControlledBy(
                        cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "d-db-1"), cluster.get(Resources.PODS, "db-1")))
                .isTrue();
        replicas(2);
        cluster.api().delete(Resources.PODS, new ObjectKey("default", "db-1"), Deletion.NOW);
        cluster.pass(Duration.ofSeconds(3));
        assertThat(PodState.phase(cluster.get(Resources.PODS, "db-1"))).isEqualTo("Running");
        ObjectNode claim = cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "d-db-1");
        assertThat(Meta.isTerminating(claim)).isFalse();
        assertThat(Owners.references(claim)).isEmpty();
    }

    private void replicas(int replicas) {
        cluster.change(
                Resources.STATEFUL_SETS,
                "db",
                db -> db.withObjectProperty("spec").put("replicas", replicas));
    }

    private void scale(int replicas) {
        replicas(replicas);
        cluster.pass(Duration.ofSeconds(3));
    }

    private String claims() {
        return cluster.names(Resources.PERSISTENT_VOLUME_CLAIMS).stream()
                .map(name -> name.substring("d-".length()))
                .collect(Collectors.joining(" "));
    }

    @Test
    void aPodThatIsNotReadyHoldsUpThoseBehindIt() {
        cluster.kubelet().setReadiness(new ObjectKey("default", "db-1"), false);
        create(3, "{}");
        cluster.settle();
        assertThat(cluster.names(Resources.PODS)).containsExactly("db-0", "db-1");
        cluster.kubelet().setReady(new ObjectKey("default", "db-1"), true);
        cluster.settle();
        assertThat(cluster.names(Resources.PODS)).containsExactly("db-0", "db-1", "db-2");
    }

    @Test
    void aParallelSetStartsAllAtOnce() {
        create(3, "{'podManagementPolicy': 'Parallel'}");
        cluster.control();
        assertThat(cluster.list(Resources.PODS)).hasSize(3);
    }

    @Test
    void shrinksFromTheEndOneByOneAndRestartsDeletedPodsUnderTheirNames() {
        create(4, "{}");
        cluster.settle();
        cluster.change(
                Resources.STATEFUL_SETS,
                "db",
                db -> db.withObjectProperty("spec").put("replicas", 2));
        cluster.control();
        assertThat(cluster.list(Resources.PODS).stream()
                        .filter(Meta::isTerminating)
                        .map(Meta::name))
                .containsExactly("db-3");
        cluster.settle();
        assertThat(cluster.names(Resources.PODS)).containsExactly("db-0", "db-1");
        String uid = Meta.uid(cluster.get(Resources.PODS, "db-0"));
        cluster.delete(Resources.PODS, "db-0");
        cluster.settle();
        assertThat(cluster.names(Resources.PODS)).containsExactly("db-0", "db-1");
        assertThat(Meta.uid(cluster.get(Resources.PODS, "db-0"))).isNotEqualTo(uid);
    }

    @Test
    void updatesFromTheEndDownToThePartition() {
        create(3, "{'updateStrategy': {'type': 'RollingUpdate', 'rollingUpdate': {'partition': 1}}}");
        cluster.settle();
        setImage("v2");
        cluster.control();
        assertThat(cluster.list(Resources.PODS).stream()
                        .filter(Meta::isTerminating)
                        .map(Meta::name))
                .containsExactly("db-2");
        cluster.settle();
        assertThat(images()).containsExactly("v1", "v2", "v2");
        assertThat(db().at("/status/currentRevision")).isNotEqualTo(db().at("/status/updateRevision"));
        cluster.delete(Resources.PODS, "db-0");
        cluster.settle();
        assertThat(images()).containsExactly("v1", "v2", "v2");
        cluster.change(
                Resources.STATEFUL_SETS,
                "db",
                db -> ((ObjectNode) db.at("/spec/updateStrategy/rollingUpdate")).put("partition", 0));
        cluster.settle();
        assertThat(images()).containsExactly("v2", "v2", "v2");
        assertThat(db().at("/status/currentRevision")).isEqualTo(db().at("/status/updateRevision"));
    }

    @Test
    void keepsRevisionsThatRolloutUndoPatchesBack() {
        create(1, "{'revisionHistoryLimit': 2}");
        cluster.settle();
        JsonNode first = db().at("/spec/template").deepCopy();
        setImage("v2");
        cluster.settle();
        List<ObjectNode> revisions = revisions();
        assertThat(revisions).extracting(each -> each.path("revision").asInt()).containsExactly(1, 2);
        JsonNode data = revisions.get(0).path("data");
        assertThat(data.at("/spec/template/$patch").asText()).isEqualTo("replace");
        cluster.change(
                Resources.STATEFUL_SETS,
                "db",
                db -> db.withObjectProperty("spec").set("template", first));
        cluster.settle();
        assertThat(images()).containsExactly("v1");
        assertThat(revisions())
                .extracting(each -> each.path("revision").asInt())
                .containsExactly(2, 3);
        for (int i = 3; i < 9; i++) {
            setImage("v" + i);
            cluster.settle();
        }
        assertThat(revisions()).hasSize(3);
    }

    @Test
    void waitsForMinReadySeconds() {
        create(2, "{'minReadySeconds': 5}");
        cluster.settle();
        assertThat(cluster.names(Resources.PODS)).containsExactly("db-0");
        cluster.pass(Duration.ofSeconds(7));
        assertThat(cluster.names(Resources.PODS)).containsExactly("db-0", "db-1");
    }

    private void create(int replicas, String spec) {
        ObjectNode set = TestObjects.workload(Resources.STATEFUL_SETS, "db", replicas, "v1", spec);
        set.withObjectProperty("spec").put("serviceName", "db");
        cluster.create(Resources.STATEFUL_SETS, set);
    }

    private ObjectNode db() {
        return cluster.get(Resources.STATEFUL_SETS, "db");
    }

    private void setImage(String image) {
        cluster.change(
                Resources.STATEFUL_SETS,
                "db",
                copy -> ((ObjectNode) copy.at("/spec/template/spec/containers/0")).put("image", image));
    }

    private List<ObjectNode> revisions() {
        List<ObjectNode> revisions = new ArrayList<>(cluster.list(Resources.CONTROLLER_REVISIONS));
        revisions.sort(Comparator.comparingInt(each -> each.path("revision").asInt()));
        return revisions;
    }

    private List<String> images() {
        return cluster.list(Resources.PODS).stream()
                .map(pod -> pod.at("/spec/containers/0/image").asText())
                .toList();
    }
}
