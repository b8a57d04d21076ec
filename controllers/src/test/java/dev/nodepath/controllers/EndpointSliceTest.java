package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointSliceTest {
    private static final String TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time";
    private static final String PORT = "'ports': [{'name': 'http', 'port': 80, 'targetPort': 8080}]";

    private final TestCluster cluster = new TestCluster("n1", "n2");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void listsReadyPodsWithNodeAndTarget() {
        cluster.change(Resources.NODES, "n1", node -> Meta.label(node, "topology.kubernetes.io/zone", "a"));
        ObjectNode service = cluster.create(Resources.SERVICES, TestObjects.service("web", "{" + PORT + "}"));
        ObjectNode pod = cluster.create(Resources.PODS, TestObjects.pod("p", "{}"));
        cluster.control();
        cluster.clock().advance(Duration.ofMillis(1));
        cluster.settle();
        ObjectNode slice = onlySlice();
        assertThat(Meta.name(slice)).matches("web-[a-z0-9]{5}");
        assertThat(Meta.labels(slice))
                .isEqualTo(TestObjects.json("{'kubernetes.io/service-name': 'web',"
                        + " 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io'}"));
        assertThat(slice.at("/metadata/ownerReferences/0/uid").asText()).isEqualTo(Meta.uid(service));
        assertThat(slice.path("ports").toString())
                .isEqualTo("[{\"name\":\"http\",\"protocol\":\"TCP\",\"port\":8080}]");
        assertThat(slice.path("endpoints").get(0))
                .isEqualTo(TestObjects.json("{'addresses': ['10.244.0.2'],"
                        + " 'conditions': {'ready': true, 'serving': true, 'terminating': false}, 'nodeName': 'n1', 'zone': 'a',"
                        + " 'targetRef': {'kind': 'Pod', 'namespace': 'default', 'name': 'p', 'uid': '" + Meta.uid(pod)
                        + "'}}"));
        assertThat(Meta.annotation(slice, TRIGGER))
                .isEqualTo(cluster.clock().instant().toString());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            PreferClose    | {'forZones': [{'name': 'a'}]}
            PreferSameZone | {'forZones': [{'name': 'a'}]}
            PreferSameNode | {'forZones': [{'name': 'a'}], 'forNodes': [{'name': 'n1'}]}
            """)
    void hintsAtWhoIsNear(String distribution, String hints) {
        cluster.change(Resources.NODES, "n1", node -> Meta.label(node, "topology.kubernetes.io/zone", "a"));
        cluster.create(
                Resources.SERVICES,
                TestObjects.service("web", "{'trafficDistribution': '" + distribution + "', " + PORT + "}"));
        cluster.create(Resources.PODS, TestObjects.pod("p", "{}"));
        cluster.settle();
        assertThat(onlySlice().path("endpoints").path(0).path("hints")).isEqualTo(TestObjects.json(hints));
        cluster.kubelet().setReady(new ObjectKey("default", "p"), false);
        cluster.control();
        assertThat(onlySlice().path("endpoints").path(0).has("hints")).isFalse();
    }

    /** KEP-2433. The annotation comes before {@code trafficDistribution}. */
    @Test
    void dividesEndpointsAmongZonesAsAnAnnotationAsks() {
        for (String node : List.of("n1", "n2")) {
            cluster.api().modify(Resources.NODES, new ObjectKey("", node), "status", changed -> {
                changed.withObjectProperty("status").putObject("allocatable").put("cpu", "2");
                return changed;
            });
        }
        cluster.change(Resources.NODES, "n1", node -> Meta.label(node, "topology.kubernetes.io/zone", "a"));
        ObjectNode service = TestObjects.service("web", "{'trafficDistribution': 'PreferSameNode', " + PORT + "}");
        service.withObjectProperty("metadata")
                .putObject("annotations")
                .put("service.kubernetes.io/topology-mode", "Auto");
        cluster.create(Resources.SERVICES, service);
        cluster.create(Resources.PODS, TestObjects.pod("p", "{'nodeName': 'n1'}"));
        cluster.create(Resources.PODS, TestObjects.pod("q", "{'nodeName': 'n1'}"));
        cluster.settle();
        assertThat(onlySlice().findValues("hints")).isEmpty();

        cluster.change(Resources.NODES, "n2", node -> Meta.label(node, "topology.kubernetes.io/zone", "b"));
        cluster.settle();
        assertThat(onlySlice().findValues("forZones").toString())
                .isIn("[[{\"name\":\"a\"}], [{\"name\":\"b\"}]]", "[[{\"name\":\"b\"}], [{\"name\":\"a\"}]]");
        assertThat(onlySlice().findValues("forNodes")).isEmpty();
        assertThat(cluster.events("web"))
                .containsExactly(
                        "TopologyAwareHintsDisabled: Insufficient Node information: allocatable CPU or zone not specified on"
                                + " one or more nodes, addressType: IPv4",
                        "TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4");
    }

    /** As Kubernetes does it. A deletion beside the first endpoints would make proxies forget when these came. */
    @Test
    void theFirstPodRewritesTheEmptySlice() {
        cluster.create(Resources.SERVICES, TestObjects.service("web", "{" + PORT + "}"));
        cluster.settle();
        String empty = Meta.name(onlySlice());
        cluster.create(Resources.PODS, TestObjects.pod("p", "{}"));
        cluster.settle();

        assertThat(Meta.name(onlySlice())).isEqualTo(empty);
        assertThat(onlySlice().path("endpoints")).hasSize(1);
        assertThat(onlySlice().at("/ports/0/port").asInt()).isEqualTo(8080);
    }

    @Test
    void writesOnlyTheSliceOfThePodThatChanged() {
        cluster.create(Resources.SERVICES, TestObjects.service("web", "{" + PORT + "}"));
        for (int i = 0; i < 250; i++) {
            cluster.create(Resources.PODS, TestObjects.pod("p" + i, "{}"));
        }
        cluster.settle();
        assertThat(slices())
                .extracting(slice -> slice.path("endpoints").size())
                .containsExactlyInAnyOrder(100, 100, 50);
        Map<String, String> before = versions();
        cluster.clock().advance(Duration.ofMillis(1));
        cluster.kubelet().setReady(new ObjectKey("default", "p7"), false);
        cluster.control();
        Map<String, String> after = versions();
        assertThat(after.keySet()).isEqualTo(before.keySet());
        after.entrySet().removeAll(before.entrySet());
        assertThat(after).hasSize(1);
        ObjectNode changed =
                cluster.get(Resources.ENDPOINT_SLICES, after.keySet().iterator().next());
        assertThat(Meta.annotation(changed, TRIGGER))
                .isEqualTo(cluster.clock().instant().toString());
        assertThat(changed.path("endpoints").findValues("targetRef").stream()
                        .filter(target -> target.path("name").asText().equals("p7")))
                .hasSize(1);
    }

    @Test
    void aTerminatingPodServesWhileItIsReady() {
        cluster.create(Resources.SERVICES, TestObjects.service("web", "{" + PORT + "}"));
        cluster.create(Resources.PODS, TestObjects.pod("p", "{}"));
        cluster.settle();
        cluster.delete(Resources.PODS, "p");
        cluster.control();
        assertThat(onlySlice().at("/endpoints/0/conditions"))
                .isEqualTo(TestObjects.json("{'ready': false, 'serving': true, 'terminating': true}"));
        cluster.settle();
        assertThat(onlySlice().path("endpoints")).isEmpty();
    }

    @Test
    void separatesPodsWithDifferentNumbersOfANamedPort() {
        cluster.create(
                Resources.SERVICES, TestObjects.service("web", "{'ports': [{'port': 80, 'targetPort': 'http'}]}"));
        for (int port : new int[] {8080, 9090}) {
            cluster.create(
                    Resources.PODS,
                    TestObjects.pod(
                            "p" + port,
                            "{'containers': [{'name': 'c', 'image': 'v1', 'ports': [{'name': 'http', 'containerPort': "
                                    + port + "}]}]}"));
        }
        cluster.create(Resources.PODS, TestObjects.pod("none", "{}"));
        cluster.settle();
        Map<String, String> podsByPort = new HashMap<>();
        slices().forEach(slice -> podsByPort.put(
                slice.at("/ports/0/port").asText("none"),
                slice.at("/endpoints/0/targetRef/name").asText()));
        assertThat(podsByPort).isEqualTo(Map.of("8080", "p8080", "9090", "p9090", "none", "none"));
    }

    @Test
    void namesPodsBelowAHeadlessServiceInBothFamilies() {
        cluster.create(
                Resources.SERVICES,
                TestObjects.service(
                        "db",
                        "{'clusterIP': 'None', 'ipFamilyPolicy': 'PreferDualStack', 'ipFamilies': ['IPv4', 'IPv6'], 'publishNotReadyAddresses': true}"));
        cluster.create(
                Resources.PODS,
                TestObjects.pod(
                        "p",
                        "{'hostname': 'db-0', 'subdomain': 'db', 'containers': [{'name': 'c', 'image': 'broken'}]}"));
        cluster.settle();
        assertThat(slices())
                .extracting(slice -> slice.path("addressType").asText() + " "
                        + slice.at("/endpoints/0/addresses/0").asText() + " "
                        + slice.at("/endpoints/0/hostname").asText() + " "
                        + slice.at("/endpoints/0/conditions/ready").asText() + " "
                        + slice.at("/endpoints/0/conditions/serving").asText())
                .containsExactlyInAnyOrder("IPv4 10.244.0.2 db-0 true false", "IPv6 fd00:10:244::1 db-0 true false");
        assertThat(slices())
                .allSatisfy(slice -> assertThat(Meta.labels(slice).has("service.kubernetes.io/headless"))
                        .isTrue());
    }

    @Test
    void followsTheSelectorAndLeavesServicesWithoutOneAlone() {
        cluster.create(Resources.PODS, TestObjects.pod("p", "{}"));
        cluster.create(Resources.SERVICES, TestObjects.service("web", "{" + PORT + "}"));
        ObjectNode hand = TestObjects.object(Resources.ENDPOINT_SLICES, "default", "by-hand");
        Meta.label(hand, "kubernetes.io/service-name", "web");
        hand.put("addressType", "IPv4").putArray("endpoints");
        cluster.create(Resources.ENDPOINT_SLICES, hand);
        cluster.settle();
        assertThat(slices()).hasSize(2);
        cluster.change(
                Resources.SERVICES, "web", service -> ((ObjectNode) service.at("/spec/selector")).put("app", "x"));
        cluster.settle();
        assertThat(endpoints()).isEmpty();
        cluster.change(Resources.PODS, "p", pod -> Meta.label(pod, "app", "x"));
        cluster.settle();
        assertThat(endpoints()).hasSize(1);
        cluster.change(Resources.SERVICES, "web", service -> ((ObjectNode) service.path("spec")).remove("selector"));
        cluster.delete(Resources.PODS, "p");
        cluster.settle();
        assertThat(endpoints()).hasSize(1);
        cluster.delete(Resources.SERVICES, "web");
        cluster.settle();
        assertThat(cluster.names(Resources.ENDPOINT_SLICES)).containsExactly("by-hand");
    }

    @Test
    void aPodThatLosesItsLabelLeavesTheService() {
        cluster.create(Resources.PODS, TestObjects.pod("p", "{}"));
        cluster.create(Resources.SERVICES, TestObjects.service("web", "{" + PORT + "}"));
        cluster.settle();
        assertThat(endpoints()).hasSize(1);
        cluster.change(Resources.PODS, "p", pod -> Meta.label(pod, "app", "other"));
        cluster.control();
        assertThat(endpoints()).isEmpty();
    }

    @Test
    void repairsASliceThatSomebodyChanged() {
        cluster.create(Resources.PODS, TestObjects.pod("p", "{}"));
        cluster.create(Resources.SERVICES, TestObjects.service("web", "{" + PORT + "}"));
        cluster.settle();
        cluster.change(Resources.ENDPOINT_SLICES, Meta.name(onlySlice()), slice -> slice.putArray("endpoints"));
        cluster.control();
        assertThat(endpoints()).hasSize(1);
        cluster.delete(Resources.ENDPOINT_SLICES, Meta.name(onlySlice()));
        cluster.control();
        assertThat(endpoints()).hasSize(1);
    }

    private List<ObjectNode> slices() {
        return cluster.list(Resources.ENDPOINT_SLICES);
    }

    private List<JsonNode> endpoints() {
        return slices().stream()
                .flatMap(slice -> slice.path("endpoints").valueStream())
                .toList();
    }

    private ObjectNode onlySlice() {
        assertThat(slices()).hasSize(1);
        return slices().get(0);
    }

    private Map<String, String> versions() {
        Map<String, String> versions = new HashMap<>();
        slices().forEach(slice -> versions.put(
                Meta.name(slice), slice.at("/metadata/resourceVersion").asText()));
        return versions;
    }
}
