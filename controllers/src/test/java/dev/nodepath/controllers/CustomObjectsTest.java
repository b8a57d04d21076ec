package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Owners;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Objects of kinds that CustomResourceDefinitions make. */
class CustomObjectsTest {
    private static final String DEFINITION = "things.example.com";

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void define() {
        cluster.create(Resources.CUSTOM_RESOURCE_DEFINITIONS, TestObjects.json("""
                {'metadata': {'name': 'things.example.com',
                  'finalizers': ['customresourcecleanup.apiextensions.k8s.io']},
                 'spec': {'group': 'example.com', 'scope': 'Namespaced', 'versions': [
                   {'name': 'v1', 'served': true, 'storage': true},
                   {'name': 'v2', 'served': true, 'storage': false}]},
                 'status': {'acceptedNames': {'plural': 'things', 'kind': 'Thing'},
                   'conditions': [{'type': 'NamesAccepted', 'status': 'True'}, {'type': 'Established', 'status': 'True'}]}}
                """));
        cluster.settle();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void goWithTheirDefinition() {
        create("default", "a");
        cluster.settle();
        cluster.delete(Resources.CUSTOM_RESOURCE_DEFINITIONS, DEFINITION);
        assertThat(cluster.names(Resources.CUSTOM_RESOURCE_DEFINITIONS)).containsExactly(DEFINITION);
        cluster.settle();
        assertThat(cluster.names(Resources.CUSTOM_RESOURCE_DEFINITIONS)).isEmpty();
        assertThat(cluster.api().kinds().ofKind("example.com/v1", "Thing")).isEmpty();
        define();
        assertThat(cluster.names(things())).isEmpty();
    }

    @Test
    void goWithTheirNamespaceAndTheirOwners() {
        cluster.addNamespace("shop");
        create("shop", "in-shop");
        ObjectNode owner = create("default", "owner");
        ObjectNode dependent = TestObjects.object(Resources.CONFIG_MAPS, "default", "dependent");
        Owners.control(dependent, owner);
        cluster.create(Resources.CONFIG_MAPS, dependent);
        cluster.settle();
        assertThat(cluster.names(Resources.CONFIG_MAPS)).contains("dependent");

        cluster.delete(things(), "owner");
        cluster.api().delete(Resources.NAMESPACES, new ObjectKey("", "shop"), Deletion.DEFAULT);
        cluster.settle();
        assertThat(cluster.names(Resources.CONFIG_MAPS)).doesNotContain("dependent");
        assertThat(cluster.names(Resources.NAMESPACES)).doesNotContain("shop");
        assertThat(cluster.api().list(things(), "").objects()).isEmpty();
    }

    private Resource things() {
        return cluster.api().kinds().ofKind("example.com/v2", "Thing").orElseThrow();
    }

    private ObjectNode create(String namespace, String name) {
        return cluster.create(things(), TestObjects.object(things(), namespace, name));
    }
}
