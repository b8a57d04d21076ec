package dev.nodepath.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Addresses of Services of type LoadBalancer. */
class BalancerTest {
    private final TestCluster cluster = new TestCluster("n1");

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void eachServiceGetsAnAddressOfItsOwnAndGivesItBack() {
        service("a", "{'type': 'LoadBalancer'}");
        service("b", "{'type': 'LoadBalancer', 'ipFamilies': ['IPv4', 'IPv6']}");
        assertThat(addresses("a")).containsExactly("198.18.0.1");
        assertThat(addresses("b")).containsExactly("198.18.0.2", "fd98::1");
        assertThat(cluster.get(Resources.SERVICES, "a")
                        .at("/status/loadBalancer/ingress/0/ipMode")
                        .asText())
                .isEqualTo("VIP");
        assertThat(cluster.events("a"))
                .containsExactly(
                        "EnsuringLoadBalancer: Ensuring load balancer", "EnsuredLoadBalancer: Ensured load balancer");
        cluster.change(
                Resources.SERVICES, "a", each -> each.withObjectProperty("spec").put("type", "ClusterIP"));
        cluster.settle();
        assertThat(addresses("a")).isEmpty();
        service("c", "{'type': 'LoadBalancer'}");
        assertThat(addresses("c")).as("free again").containsExactly("198.18.0.1");
    }

    @Test
    void anAddressThatIsAskedForIsGivenIfItIsFree() {
        service("a", "{'type': 'LoadBalancer', 'loadBalancerIP': '198.18.0.77'}");
        service("b", "{'type': 'LoadBalancer', 'loadBalancerIP': '198.18.0.77'}");
        assertThat(addresses("a")).containsExactly("198.18.0.77");
        assertThat(addresses("b")).isEmpty();
        assertThat(cluster.events("b")).anyMatch(each -> each.startsWith("SyncLoadBalancerFailed: Error syncing"));
    }

    @Test
    void otherBalancersAreLeftAlone() {
        service("a", "{'type': 'LoadBalancer', 'loadBalancerClass': 'example.com/mine'}");
        assertThat(addresses("a")).isEmpty();
        service("b", "{'type': 'LoadBalancer'}");
        cluster.api().modify(Resources.SERVICES, new ObjectKey("default", "b"), "status", each -> {
            each.set("status", TestObjects.json("{'loadBalancer': {'ingress': [{'ip': '192.0.2.7'}]}}"));
            return each;
        });
        cluster.settle();
        assertThat(addresses("b")).containsExactly("192.0.2.7");
    }

    private void service(String name, String spec) {
        ObjectNode service = TestObjects.object(Resources.SERVICES, "default", name);
        service.set("spec", TestObjects.json(spec));
        cluster.create(Resources.SERVICES, service);
        cluster.settle();
    }

    private List<String> addresses(String name) {
        return cluster.get(Resources.SERVICES, name)
                .at("/status/loadBalancer/ingress")
                .findValuesAsText("ip");
    }
}
