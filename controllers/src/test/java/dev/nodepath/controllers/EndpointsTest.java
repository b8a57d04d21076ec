package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EndpointsTest {
    private final TestCluster cluster = new TestCluster("n1");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void listsReadyAndUnreadyPodsAndNoTerminatingOnes() {
        cluster.create(Resources.SERVICES, TestObjects.service("web", "{'ports': [{'port': 80}]}"));
        ObjectNode pod = cluster.create(Resources.PODS, TestObjects.pod("a", "{}"));
        cluster.settle();
        assertThat(cluster.get(Resources.ENDPOINTS, "web").path("subsets").get(0))
                .isEqualTo(TestObjects.json("{'addresses': [{'ip': '10.244.0.2', 'nodeName': 'n1', 'targetRef':"
                        + " {'kind': 'Pod', 'namespace': 'default', 'name': 'a', 'uid': '" + Meta.uid(pod) + "'}}],"
                        + " 'ports': [{'port': 80, 'protocol': 'TCP'}]}"));
        cluster.kubelet().setReady(new ObjectKey("default", "a"), false);
        cluster.control();
        assertThat(cluster.get(Resources.ENDPOINTS, "web")
                        .at("/subsets/0/notReadyAddresses/0/ip")
                        .asText())
                .isEqualTo("10.244.0.2");
        cluster.delete(Resources.PODS, "a");
        cluster.control();
        assertThat(cluster.get(Resources.ENDPOINTS, "web").has("subsets")).isFalse();
        cluster.delete(Resources.SERVICES, "web");
        cluster.settle();
        assertThat(cluster.list(Resources.ENDPOINTS)).isEmpty();
        assertThat(cluster.list(Resources.ENDPOINT_SLICES)).isEmpty();
    }

    @Test
    void copiesHandMadeEndpointsIntoSlices() {
        ObjectNode service = TestObjects.service("db", "{'ports': [{'port': 5432}]}");
        ((ObjectNode) service.path("spec")).remove("selector");
        cluster.create(Resources.SERVICES, service);
        ObjectNode endpoints = TestObjects.object(Resources.ENDPOINTS, "default", "db");
        endpoints.set(
                "subsets",
                TestObjects.json("{'x': [{'addresses': [{'ip': '192.0.2.1'}, {'ip': '2001:db8::1'}],"
                                + " 'notReadyAddresses': [{'ip': '192.0.2.2'}], 'ports': [{'port': 5432}]}]}")
                        .get("x"));
        cluster.create(Resources.ENDPOINTS, endpoints);
        cluster.settle();
        assertThat(cluster.list(Resources.ENDPOINT_SLICES))
                .extracting(slice -> slice.path("addressType").asText() + slice.path("endpoints") + slice.path("ports"))
                .containsExactlyInAnyOrder(
                        "IPv4[{\"addresses\":[\"192.0.2.1\"],\"conditions\":{\"ready\":true}},"
                                + "{\"addresses\":[\"192.0.2.2\"],\"conditions\":{\"ready\":false}}]"
                                + "[{\"name\":\"\",\"protocol\":\"TCP\",\"port\":5432}]",
                        "IPv6[{\"addresses\":[\"2001:db8::1\"],\"conditions\":{\"ready\":true}}]"
                                + "[{\"name\":\"\",\"protocol\":\"TCP\",\"port\":5432}]");
        assertThat(cluster.list(Resources.ENDPOINT_SLICES))
                .allMatch(slice -> Meta.labels(slice)
                        .path("endpointslice.kubernetes.io/managed-by")
                        .asText()
                        .equals("endpointslicemirroring-controller.k8s.io"));
        cluster.change(Resources.ENDPOINTS, "db", each -> each.remove("subsets"));
        cluster.settle();
        assertThat(cluster.list(Resources.ENDPOINT_SLICES)).isEmpty();
    }
}
