package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GarbageTest {
    private final TestCluster cluster = new TestCluster("n1");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void inTheBackgroundTheOwnerGoesFirst() {
        deploy();
        cluster.delete(Resources.DEPLOYMENTS, "web");
        assertThat(cluster.list(Resources.DEPLOYMENTS)).isEmpty();
        cluster.control();
        assertThat(cluster.list(Resources.REPLICA_SETS)).isEmpty();
        assertThat(cluster.list(Resources.PODS)).hasSize(3).allMatch(Meta::isTerminating);
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).isEmpty();
    }

    @Test
    void inTheForegroundTheOwnerGoesLast() {
        deploy();
        delete("Foreground");
        cluster.control();
        assertThat(cluster.list(Resources.DEPLOYMENTS)).hasSize(1);
        assertThat(cluster.list(Resources.REPLICA_SETS)).hasSize(1);
        assertThat(cluster.list(Resources.PODS)).hasSize(3).allMatch(Meta::isTerminating);
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).isEmpty();
        assertThat(cluster.list(Resources.REPLICA_SETS)).isEmpty();
        assertThat(cluster.list(Resources.DEPLOYMENTS)).isEmpty();
    }

    @Test
    void orphansStayAndAreAdoptedAgain() {
        deploy();
        List<String> pods = cluster.names(Resources.PODS);
        delete("Orphan");
        cluster.settle();
        assertThat(cluster.list(Resources.DEPLOYMENTS)).isEmpty();
        assertThat(Owners.controller(cluster.list(Resources.REPLICA_SETS).get(0)))
                .isEmpty();
        assertThat(cluster.names(Resources.PODS)).isEqualTo(pods);
        deploy();
        assertThat(cluster.names(Resources.PODS)).isEqualTo(pods);
        assertThat(cluster.list(Resources.REPLICA_SETS)).hasSize(1);
    }

    /** Kubernetes' page "StatefulSet Basics": the set comes back, and its Pods never went. */
    @ParameterizedTest
    @CsvSource({"StatefulSet, 1", "StatefulSet, 2", "DaemonSet, 1", "DaemonSet, 2"})
    void aSetAdoptsItsPodsWithTheirRevisions(String kind, int templates) {
        Resource sets = kind.equals("DaemonSet") ? Resources.DAEMON_SETS : Resources.STATEFUL_SETS;
        for (int version = 1; version <= templates; version++) {
            ObjectNode set = set(sets, "v" + version);
            if (version == 1) {
                cluster.create(sets, set);
            } else {
                cluster.change(
                        sets, "a", copy -> copy.withObjectProperty("spec").setAll((ObjectNode) set.get("spec")));
            }
            cluster.settle();
        }
        List<String> pods = uids(Resources.PODS);
        List<String> revisions = uids(Resources.CONTROLLER_REVISIONS);
        delete(sets, "a", "Orphan");
        cluster.settle();
        assertThat(cluster.list(sets)).isEmpty();
        ObjectNode created = cluster.create(sets, set(sets, "v" + templates));
        cluster.settle();
        assertThat(uids(Resources.PODS)).isNotEmpty().isEqualTo(pods);
        assertThat(uids(Resources.CONTROLLER_REVISIONS)).hasSize(templates).isEqualTo(revisions);
        assertThat(cluster.list(Resources.CONTROLLER_REVISIONS)).allMatch(each -> Owners.isControlledBy(each, created));
    }

    private static ObjectNode set(Resource sets, String image) {
        return TestObjects.workload(sets, "a", 2, image, "{}");
    }

    private List<String> uids(Resource resource) {
        return cluster.list(resource).stream().map(Meta::uid).sorted().toList();
    }

    @Test
    void anObjectGoesWithItsLastOwnerOnly() {
        ObjectNode one =
                cluster.create(Resources.CONFIG_MAPS, TestObjects.object(Resources.CONFIG_MAPS, "default", "one"));
        ObjectNode two =
                cluster.create(Resources.CONFIG_MAPS, TestObjects.object(Resources.CONFIG_MAPS, "default", "two"));
        ObjectNode dependent = TestObjects.object(Resources.SECRETS, "default", "s");
        Owners.control(dependent, one);
        Owners.control(dependent, two);
        ((ObjectNode) dependent.at("/metadata/ownerReferences/1")).put("controller", false);
        cluster.create(Resources.SECRETS, dependent);
        cluster.settle();
        cluster.delete(Resources.CONFIG_MAPS, "one");
        cluster.settle();
        assertThat(Owners.references(cluster.get(Resources.SECRETS, "s"))).hasSize(1);
        cluster.delete(Resources.CONFIG_MAPS, "two");
        cluster.settle();
        assertThat(cluster.list(Resources.SECRETS)).isEmpty();
    }

    @Test
    void anObjectWhoseOwnerNeverWasOrIsOfAnUnknownKind() {
        ObjectNode never = TestObjects.object(Resources.SECRETS, "default", "never");
        Owners.control(
                never,
                TestObjects.json("{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'x', 'uid': 'u'}}"));
        ObjectNode unknown = TestObjects.object(Resources.SECRETS, "default", "unknown");
        Owners.control(
                unknown,
                TestObjects.json("{'apiVersion': 'a.io/v1', 'kind': 'Thing', 'metadata': {'name': 'x', 'uid': 'v'}}"));
        cluster.create(Resources.SECRETS, never);
        cluster.create(Resources.SECRETS, unknown);
        cluster.settle();
        assertThat(cluster.names(Resources.SECRETS)).containsExactly("unknown");
    }

    @Test
    void aDeletedNamespaceGoesWithAllThatIsInIt() {
        cluster.addNamespace("shop");
        cluster.settle();
        ObjectNode web = TestObjects.workload(Resources.DEPLOYMENTS, "web", 3, "v1", "{}");
        web.withObjectProperty("metadata").put("namespace", "shop");
        cluster.create(Resources.DEPLOYMENTS, web);
        cluster.settle();
        assertThat(inShop(Resources.PODS)).hasSize(3);
        cluster.api().delete(Resources.NAMESPACES, new ObjectKey("", "shop"), Deletion.DEFAULT);
        cluster.control();
        assertThat(cluster.names(Resources.NAMESPACES)).contains("shop");
        assertThat(inShop(Resources.PODS)).allMatch(Meta::isTerminating);
        assertThatThrownBy(() -> cluster.create(Resources.SECRETS, TestObjects.object(Resources.SECRETS, "shop", "s")))
                .hasMessageContaining("because it is being terminated");
        cluster.settle();
        assertThat(cluster.names(Resources.NAMESPACES)).doesNotContain("shop");
        assertThat(Resources.all().stream().filter(Resource::namespaced))
                .allSatisfy(each -> assertThat(inShop(each)).isEmpty());
    }

    @Test
    void aNewNamespaceHasItsAccountAndTheRootCertificate() {
        cluster.settle();
        assertThat(cluster.names(Resources.SERVICE_ACCOUNTS)).containsExactly("default");
        assertThat(cluster.get(Resources.CONFIG_MAPS, "kube-root-ca.crt")
                        .at("/data/ca.crt")
                        .asText())
                .isEqualTo("PEM");
        cluster.delete(Resources.SERVICE_ACCOUNTS, "default");
        cluster.settle();
        assertThat(cluster.names(Resources.SERVICE_ACCOUNTS)).containsExactly("default");
    }

    @Test
    void eventsGoAfterAnHour() {
        deploy();
        assertThat(cluster.list(Resources.EVENTS)).isNotEmpty();
        cluster.clock().advance(Duration.ofMinutes(59));
        cluster.control();
        assertThat(cluster.events("web")).isNotEmpty();
        cluster.clock().advance(Duration.ofSeconds(61));
        cluster.control();
        assertThat(cluster.events("web")).isEmpty();
    }

    private List<ObjectNode> inShop(Resource resource) {
        return cluster.api().list(resource, "shop").objects();
    }

    private void deploy() {
        cluster.create(Resources.DEPLOYMENTS, TestObjects.workload(Resources.DEPLOYMENTS, "web", 3, "v1", "{}"));
        cluster.settle();
        assertThat(cluster.list(Resources.PODS)).hasSize(3);
    }

    private void delete(String propagation) {
        delete(Resources.DEPLOYMENTS, "web", propagation);
    }

    private void delete(Resource resource, String name, String propagation) {
        cluster.api()
                .delete(
                        resource,
                        new ObjectKey("default", name),
                        new Deletion(OptionalLong.empty(), propagation, "", ""));
    }
}
