package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.rules.StandardObjects;
import dev.nodepath.controllers.object.Meta;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterRoleAggregationTest {
    private final TestCluster cluster = new TestCluster();
    private final Resource roles = cluster.api()
            .kinds()
            .ofKind("rbac.authorization.k8s.io/v1", "ClusterRole")
            .orElseThrow();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aRoleHasTheRulesOfTheRolesThatItSelects() {
        create(
                "sum",
                "'aggregationRule': {'clusterRoleSelectors': [" + selector("one") + ", " + selector("two") + "]}");
        create("b", "'metadata': {'labels': {'one': 'yes'}}, 'rules': [" + rule("pods") + ", " + rule("nodes") + "]");
        create("a", "'metadata': {'labels': {'two': 'yes'}}, 'rules': [" + rule("pods") + "]");
        create("c", "'metadata': {'labels': {'two': 'yes'}}, 'rules': [" + rule("jobs") + "]");
        create("other", "'rules': [" + rule("secrets") + "]");
        cluster.control();
        assertThat(resources("sum")).containsExactly("pods", "nodes", "jobs");

        cluster.api().modify(roles, key("c"), "", copy -> copy.set("rules", copy.arrayNode()));
        cluster.control();
        assertThat(resources("sum")).containsExactly("pods", "nodes");
    }

    @Test
    void aPartMayBeASumItself() {
        create("all", "'aggregationRule': {'clusterRoleSelectors': [" + selector("one") + "]}");
        create(
                "some",
                "'metadata': {'labels': {'one': 'yes'}}, 'aggregationRule': {'clusterRoleSelectors': ["
                        + selector("two") + "]}");
        create("part", "'metadata': {'labels': {'two': 'yes'}}, 'rules': [" + rule("pods") + "]");
        cluster.control();
        assertThat(resources("all")).containsExactly("pods");
    }

    /** They are stored with their sums, so that a start writes nothing. */
    @Test
    void theStandardRolesAreTheirSums() {
        StandardObjects.create(cluster.api());
        List<String> before = versions();
        cluster.control();
        assertThat(versions()).isEqualTo(before);

        create(
                "crontabs",
                "'metadata': {'labels': {'rbac.authorization.k8s.io/aggregate-to-view': 'true'}}, 'rules': ["
                        + rule("crontabs") + "]");
        cluster.control();
        for (String role : List.of("view", "edit", "admin")) {
            assertThat(resources(role)).contains("crontabs");
        }
    }

    private static String selector(String label) {
        return "{'matchLabels': {'" + label + "': 'yes'}}";
    }

    private static String rule(String resource) {
        return "{'apiGroups': [''], 'resources': ['" + resource + "'], 'verbs': ['get']}";
    }

    private void create(String name, String fields) {
        ObjectNode role = TestObjects.json("{" + fields + "}");
        role.put("apiVersion", "rbac.authorization.k8s.io/v1").put("kind", "ClusterRole");
        role.withObjectProperty("metadata").put("name", name);
        cluster.api().create(roles, role);
    }

    private List<String> resources(String role) {
        List<String> resources = new ArrayList<>();
        for (JsonNode rule : cluster.api().get(roles, key(role)).path("rules")) {
            rule.path("resources").forEach(each -> resources.add(each.asText()));
        }
        return resources;
    }

    private List<String> versions() {
        return cluster.api().list(roles, "").objects().stream()
                .map(role -> Meta.name(role) + " "
                        + role.at("/metadata/resourceVersion").asText())
                .toList();
    }

    private static ObjectKey key(String name) {
        return new ObjectKey("", name);
    }
}
