package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.rules.StandardStorage;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PersistentVolumeClaims, their volumes, and Pods that use them. */
class ClaimTest {
    private final TestCluster cluster = new TestCluster("n1");

    @BeforeEach
    void addStorage() {
        StandardStorage.create(cluster.api());
        cluster.create(
                Resources.STORAGE_CLASSES,
                TestObjects.json("{'metadata': {'name': 'cloud'}, 'provisioner': 'example.com/disk'}"));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aClaimWithoutClassGetsAVolumeOfTheStandardClass() {
        claim("data", "");
        cluster.settle();
        ObjectNode claim = cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "data");
        assertThat(claim.at("/status/phase").asText()).isEqualTo("Bound");
        assertThat(claim.at("/status/capacity/storage").asText()).isEqualTo("1Gi");
        assertThat(claim.at("/spec/storageClassName").asText()).isEqualTo("standard");
        ObjectNode volume = cluster.list(Resources.PERSISTENT_VOLUMES).get(0);
        assertThat(Meta.name(volume)).isEqualTo(claim.at("/spec/volumeName").asText());
        assertThat(volume.at("/status/phase").asText()).isEqualTo("Bound");
        assertThat(volume.at("/spec/claimRef/uid").asText()).isEqualTo(Meta.uid(claim));
        cluster.delete(Resources.PERSISTENT_VOLUME_CLAIMS, "data");
        cluster.settle();
        assertThat(cluster.list(Resources.PERSISTENT_VOLUME_CLAIMS)).isEmpty();
        assertThat(cluster.list(Resources.PERSISTENT_VOLUMES)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cloud | ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'example.com/disk'
            none  | ProvisioningFailed: storageclass.storage.k8s.io "none" not found
            ''    | FailedBinding: no persistent volumes available for this claim and no storage class is set
            """)
    void aClaimOfAnotherClassStaysPendingAndSaysWhy(String storage, String event) {
        ObjectNode claim = TestObjects.object(Resources.PERSISTENT_VOLUME_CLAIMS, "default", "data");
        claim.putObject("spec").put("storageClassName", storage);
        cluster.create(Resources.PERSISTENT_VOLUME_CLAIMS, claim);
        cluster.create(Resources.PODS, pod("user", "data"));
        cluster.settle();
        assertThat(cluster.events("data")).singleElement().asString().startsWith(event);
        assertThat(PodState.node(cluster.get(Resources.PODS, "user"))).isEmpty();
        assertThat(cluster.events("user"))
                .containsExactly("FailedScheduling: 0/1 nodes are available: pod has unbound immediate"
                        + " PersistentVolumeClaims.");
    }

    @Test
    void aPodWaitsForItsClaimAndTheClaimOutlivesIt() {
        cluster.create(Resources.PODS, pod("user", "data"));
        cluster.settle();
        assertThat(cluster.events("user"))
                .containsExactly(
                        "FailedScheduling: 0/1 nodes are available: persistentvolumeclaim \"data\" not found.");
        claim("data", "standard");
        cluster.settle();
        assertThat(PodState.node(cluster.get(Resources.PODS, "user"))).isEqualTo("n1");
        cluster.delete(Resources.PERSISTENT_VOLUME_CLAIMS, "data");
        cluster.settle();
        assertThat(cluster.names(Resources.PERSISTENT_VOLUME_CLAIMS))
                .as("in use")
                .containsExactly("data");
        cluster.delete(Resources.PODS, "user");
        cluster.settle();
        assertThat(cluster.names(Resources.PERSISTENT_VOLUME_CLAIMS)).isEmpty();
    }

    private void volume(String name, String spec) {
        cluster.create(
                Resources.PERSISTENT_VOLUMES,
                TestObjects.json("{'metadata': {'name': '" + name + "', 'labels': {'tier': '" + name + "'}}, 'spec': {"
                        + spec + ", 'hostPath': {'path': '/mnt/data'}}}"));
    }

    /** The Kubernetes tutorial "Configure a Pod to Use a PersistentVolume for Storage". */
    @Test
    void aClaimIsBoundToTheSmallestVolumeThatFits() {
        String modes = "'storageClassName': 'manual', 'accessModes': ['ReadWriteOnce', 'ReadOnlyMany']";
        volume("large", modes + ", 'capacity': {'storage': '100Gi'}");
        volume("task", modes + ", 'capacity': {'storage': '10Gi'}");
        volume("small", modes + ", 'capacity': {'storage': '1Gi'}");
        volume(
                "other",
                "'storageClassName': 'other', 'accessModes': ['ReadWriteOnce'], 'capacity': {'storage': '5Gi'}");
        volume(
                "reader",
                "'storageClassName': 'manual', 'accessModes': ['ReadOnlyMany'], 'capacity': {'storage': '5Gi'}");
        cluster.settle();
        assertThat(cluster.list(Resources.PERSISTENT_VOLUMES))
                .extracting(each -> each.at("/status/phase").asText())
                .containsOnly("Available");
        ObjectNode claim = TestObjects.object(Resources.PERSISTENT_VOLUME_CLAIMS, "default", "task-claim");
        claim.set(
                "spec",
                TestObjects.json("{'storageClassName': 'manual', 'accessModes': ['ReadWriteOnce'], 'resources':"
                        + " {'requests': {'storage': '3Gi'}}}"));
        cluster.create(Resources.PERSISTENT_VOLUME_CLAIMS, claim);
        cluster.settle();
        assertThat(volume("task-claim")).isEqualTo("task");
        ObjectNode bound = cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "task-claim");
        assertThat(bound.path("status"))
                .isEqualTo(TestObjects.json("{'phase': 'Bound', 'accessModes': ['ReadWriteOnce', 'ReadOnlyMany'],"
                        + " 'capacity': {'storage': '10Gi'}}"));
        assertThat(phase("task")).isEqualTo("Bound");
        cluster.delete(Resources.PERSISTENT_VOLUME_CLAIMS, "task-claim");
        cluster.settle();
        assertThat(phase("task")).isEqualTo("Released");
    }

    @Test
    void aClaimThatCameFirstIsBoundToALaterVolumeOfItsLabels() {
        ObjectNode claim = TestObjects.object(Resources.PERSISTENT_VOLUME_CLAIMS, "default", "data");
        claim.set("spec", TestObjects.json("{'storageClassName': '', 'selector': {'matchLabels': {'tier': 'db'}}}"));
        cluster.create(Resources.PERSISTENT_VOLUME_CLAIMS, claim);
        volume("web", "'capacity': {'storage': '1Gi'}");
        cluster.settle();
        assertThat(volume("data")).isEmpty();
        volume("db", "'capacity': {'storage': '1Gi'}");
        cluster.settle();
        assertThat(volume("data")).isEqualTo("db");
    }

    @Test
    void aVolumeThatWaitsForAClaimGoesToNoOther() {
        volume("reserved", "'capacity': {'storage': '1Gi'}, 'claimRef': {'namespace': 'default', 'name': 'chosen'}");
        for (String name : List.of("another", "chosen")) {
            ObjectNode claim = TestObjects.object(Resources.PERSISTENT_VOLUME_CLAIMS, "default", name);
            claim.set("spec", TestObjects.json("{'storageClassName': '', 'volumeName': 'reserved'}"));
            cluster.create(Resources.PERSISTENT_VOLUME_CLAIMS, claim);
        }
        cluster.settle();
        assertThat(phase("reserved")).isEqualTo("Bound");
        assertThat(cluster.get(Resources.PERSISTENT_VOLUMES, "reserved")
                        .at("/spec/claimRef/uid")
                        .asText())
                .isEqualTo(Meta.uid(cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "chosen")));
        assertThat(cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "another")
                        .at("/status/phase")
                        .asText())
                .isNotEqualTo("Bound");
    }

    @Test
    void aClaimWhoseVolumeGoesIsLost() {
        claim("data", "standard");
        cluster.settle();
        cluster.delete(Resources.PERSISTENT_VOLUMES, volume("data"));
        cluster.settle();
        assertThat(cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "data")
                        .at("/status/phase")
                        .asText())
                .isEqualTo("Lost");
        assertThat(cluster.events("data"))
                .contains("ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!");
    }

    private String phase(String volume) {
        return cluster.get(Resources.PERSISTENT_VOLUMES, volume)
                .at("/status/phase")
                .asText();
    }

    /** Otherwise an author of claims could read other users' data by the name of a volume. */
    @Test
    void aClaimThatNamesTheVolumeOfAnotherIsNotBound() {
        claim("data", "standard");
        cluster.settle();
        ObjectNode thief = TestObjects.object(Resources.PERSISTENT_VOLUME_CLAIMS, "default", "thief");
        thief.set(
                "spec",
                TestObjects.json("{'accessModes': ['ReadWriteOnce'], 'storageClassName': 'standard', 'volumeName': '"
                        + volume("data") + "', 'resources': {'requests': {'storage': '1Gi'}}}"));
        cluster.create(Resources.PERSISTENT_VOLUME_CLAIMS, thief);
        cluster.create(Resources.PODS, pod("user", "thief"));
        cluster.settle();
        assertThat(cluster.events("user"))
                .containsExactly("FailedScheduling: 0/1 nodes are available: pod has unbound immediate"
                        + " PersistentVolumeClaims.");
    }

    @Test
    void aStatefulSetMakesAClaimForEachPodAndUsesItAgain() {
        ObjectNode set = TestObjects.workload(Resources.STATEFUL_SETS, "web", 2, "v1", "{}");
        set.withObjectProperty("spec")
                .putArray("volumeClaimTemplates")
                .add(TestObjects.json("{'metadata': {'name': 'www'}, 'spec': {'accessModes': ['ReadWriteOnce'],"
                        + " 'resources': {'requests': {'storage': '1Gi'}}}}"));
        cluster.create(Resources.STATEFUL_SETS, set);
        cluster.settle();
        assertThat(cluster.names(Resources.PERSISTENT_VOLUME_CLAIMS)).containsExactly("www-web-0", "www-web-1");
        assertThat(cluster.names(Resources.PODS)).containsExactly("web-0", "web-1");
        String volume = volume("www-web-0");
        cluster.delete(Resources.PODS, "web-0");
        cluster.settle();
        assertThat(PodState.node(cluster.get(Resources.PODS, "web-0"))).isEqualTo("n1");
        cluster.delete(Resources.STATEFUL_SETS, "web");
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).isEmpty();
        assertThat(volume("www-web-0")).isEqualTo(volume);
    }

    @Test
    void anEphemeralVolumeHasAClaimThatComesAndGoesWithItsPod() {
        cluster.create(Resources.PODS, ephemeral("user"));
        cluster.settle();
        ObjectNode claim = cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "user-scratch");
        assertThat(claim.at("/metadata/labels/app").asText()).isEqualTo("a");
        assertThat(claim.at("/status/phase").asText()).isEqualTo("Bound");
        assertThat(Owners.isControlledBy(claim, cluster.get(Resources.PODS, "user")))
                .isTrue();
        assertThat(PodState.phase(cluster.get(Resources.PODS, "user"))).isEqualTo("Running");
        cluster.delete(Resources.PODS, "user");
        cluster.settle();
        assertThat(cluster.list(Resources.PERSISTENT_VOLUME_CLAIMS)).isEmpty();
    }

    @Test
    void anEphemeralVolumeTakesNoClaimOfOthers() {
        claim("user-scratch", "");
        claim("placed-scratch", "");
        cluster.create(Resources.PODS, ephemeral("user"));
        ObjectNode placed = ephemeral("placed");
        placed.withObjectProperty("spec").put("nodeName", "n1");
        cluster.create(Resources.PODS, placed);
        cluster.settle();
        String why = "PVC default/user-scratch was not created for pod default/user (pod is not owner)";
        assertThat(cluster.events("user")).contains("FailedScheduling: 0/1 nodes are available: " + why + ".");
        assertThat(cluster.events("placed"))
                .contains("FailedBinding: ephemeral volume scratch: " + why.replace("user", "placed"));
    }

    /** As a StatefulSet starts its Pods again: the new Pod is there before the old one's claim has gone. */
    @ParameterizedTest
    @ValueSource(strings = {"", "n1"})
    void aPodThatComesBackUnderItsNameGetsAClaimOfItsOwn(String node) {
        ObjectNode pod = ephemeral("user");
        if (!node.isEmpty()) {
            pod.withObjectProperty("spec").put("nodeName", node);
        }
        cluster.create(Resources.PODS, pod.deepCopy());
        cluster.settle();
        String before = Meta.uid(cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "user-scratch"));
        cluster.api().delete(Resources.PODS, new ObjectKey("default", "user"), Deletion.NOW);
        ObjectNode again = cluster.create(Resources.PODS, pod);
        cluster.settle();
        ObjectNode claim = cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, "user-scratch");
        assertThat(Meta.uid(claim)).isNotEqualTo(before);
        assertThat(Owners.isControlledBy(claim, again)).isTrue();
        assertThat(PodState.phase(cluster.get(Resources.PODS, "user"))).isEqualTo("Running");
    }

    @Test
    void aPodThatHasNoNodeDoesNotHoldAClaimThatIsDeleted() {
        claim("data", "standard");
        cluster.settle();
        ObjectNode gated = pod("user", "data");
        gated.withObjectProperty("spec").putArray("schedulingGates").addObject().put("name", "example.com/later");
        cluster.create(Resources.PODS, gated);
        cluster.delete(Resources.PERSISTENT_VOLUME_CLAIMS, "data");
        cluster.settle();
        assertThat(cluster.list(Resources.PERSISTENT_VOLUME_CLAIMS)).isEmpty();
    }

    private static ObjectNode ephemeral(String name) {
        ObjectNode pod = pod(name, "");
        ((ObjectNode) pod.path("spec"))
                .set(
                        "volumes",
                        TestObjects.json("{'all': [{'name': 'scratch', 'ephemeral': {'volumeClaimTemplate':"
                                        + " {'metadata': {'labels': {'app': 'a'}}, 'spec': {'accessModes':"
                                        + " ['ReadWriteOnce'], 'resources': {'requests': {'storage': '1Gi'}}}}}}]}")
                                .path("all"));
        return pod;
    }

    private String volume(String claim) {
        return cluster.get(Resources.PERSISTENT_VOLUME_CLAIMS, claim)
                .at("/spec/volumeName")
                .asText();
    }

    private void claim(String name, String storage) {
        ObjectNode claim = TestObjects.object(Resources.PERSISTENT_VOLUME_CLAIMS, "default", name);
        claim.set(
                "spec",
                TestObjects.json("{'accessModes': ['ReadWriteOnce'], 'resources': {'requests': {'storage': '1Gi'}}}"));
        if (!storage.isEmpty()) {
            claim.withObjectProperty("spec").put("storageClassName", storage);
        }
        cluster.create(Resources.PERSISTENT_VOLUME_CLAIMS, claim);
    }

    private static ObjectNode pod(String name, String claim) {
        ObjectNode pod = TestObjects.object(Resources.PODS, "default", name);
        pod.set(
                "spec",
                TestObjects.json("{'containers': [{'name': 'c', 'image': 'i'}], 'volumes': [{'name': 'v',"
                        + " 'persistentVolumeClaim': {'claimName': '" + claim + "'}}]}"));
        return pod;
    }
}
