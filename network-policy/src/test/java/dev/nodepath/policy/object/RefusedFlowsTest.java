package dev.nodepath.policy.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.policy.TestObjects;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pod x/a of this node is isolated, except for its port 81 and its packets to 10.0.0.9; y/far is a pod of node n2.
 */
class RefusedFlowsTest {
    private static final TestObjects CLUSTER = TestObjects.NONE
            .namespace("x", "{}")
            .namespace("y", "{}")
            .pod("x/a", "10.0.0.1", "{}")
            .pod("y/near", "10.0.0.2", "{}")
            .pod("y/far", "{}", "{nodeName: 'n2'}", "{podIP: '10.0.0.9'}")
            .policy("x/in", "{podSelector: {}, ingress: [{ports: [{port: 81}]}]}")
            .policy(
                    "x/out",
                    "{podSelector: {}, policyTypes: ['Egress'], egress: [{to: [{ipBlock: {cidr: '10.0.0.9/32'}}]}]}");

    private static boolean refuses(TestObjects cluster, boolean relays, ConntrackFlow flow) {
        return new RefusedFlows(
                        cluster.snapshot(),
                        "n1",
                        relays,
                        List.of(IpAddress.parse("10.0.0.254"), address("192.168.0.1")))
                .refuse(flow);
    }

    private static IpAddress address(String text) {
        return IpAddress.parse(text);
    }

    /** The endpoint answers with its own address, whatever destination the client used. */
    private static ConntrackFlow flow(
            String from, String to, int port, String endpoint, int endpointPort, int protocol) {
        return new ConntrackFlow(
                protocol,
                new ConntrackFlow.Tuple(address(from), address(to), 40_000, port, 0),
                new ConntrackFlow.Tuple(address(endpoint), address(from), endpointPort, 40_000, 0),
                0,
                1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(textBlock = """
            to a port that the policy does not allow,      10.0.0.2,     10.0.0.1, 80, 10.0.0.1,  80,   6, true
            to one that it allows,                         10.0.0.2,     10.0.0.1, 81, 10.0.0.1,  81,   6, false
            by a Service to the port of its endpoint,      10.0.0.2,     10.96.0.1, 80, 10.0.0.1, 81,   6, false
            by a Service to another port of its endpoint,  10.0.0.2,     10.96.0.1, 81, 10.0.0.1, 80,   6, true
            from outside to a node port,                   203.0.113.1,  192.168.0.1, 30080, 10.0.0.1, 80, 17, true
            of the isolated pod,                           10.0.0.1,     192.0.2.1, 80, 192.0.2.1, 80, 132, true
            of the isolated pod to what it may reach,      10.0.0.1,     10.96.0.1, 80, 10.0.0.9, 80,   6, false
            of the isolated pod to the node,               10.0.0.1,     10.0.0.254, 10250, 10.0.0.254, 10250, 6, true
            of the isolated pod with itself,               10.0.0.1,     10.96.0.1, 80, 10.0.0.1,  80,   6, false
            a probe of the node,                           10.0.0.254,   10.0.0.1, 80, 10.0.0.1,  80,   6, false
            of a pod that nobody isolates,                 10.0.0.2,     192.0.2.1, 80, 192.0.2.1, 80,   6, false
            of no pod of the node,                         203.0.113.1,  10.0.0.9, 80, 10.0.0.9,  80,   6, false
            of a protocol without ports,                   10.0.0.2,     10.0.0.1, 0, 10.0.0.1,    0,   1, false
            """)
    void judgesEachEndByItsOwnAddress(
            String title,
            String from,
            String to,
            int port,
            String endpoint,
            int endpointPort,
            int protocol,
            boolean refused) {
        assertThat(refuses(CLUSTER, false, flow(from, to, port, endpoint, endpointPort, protocol)))
                .as(title)
                .isEqualTo(refused);
    }

    @Test
    void policiesOfOtherNodesPodsAreAskedThere() {
        TestObjects far = CLUSTER.policy("y/out", "{podSelector: {}, policyTypes: ['Egress']}");
        assertThat(refuses(far, false, flow("10.0.0.9", "10.0.0.1", 81, "10.0.0.1", 81, 6)))
                .isFalse();
        assertThat(refuses(far, false, flow("10.0.0.2", "10.0.0.1", 81, "10.0.0.1", 81, 6)))
                .isTrue();
    }

    /** A denying rule also refuses, whatever NetworkPolicies allow. */
    @Test
    void clusterPoliciesAreAsked() {
        TestObjects denied = CLUSTER.clusterPolicy(
                "guard",
                "{tier: 'Admin', priority: 1, subject: {namespaces: {}},"
                        + " ingress: [{action: 'Deny', from: [{namespaces: {}}]}]}");
        assertThat(refuses(denied, false, flow("10.0.0.2", "10.0.0.1", 81, "10.0.0.1", 81, 6)))
                .isTrue();
        assertThat(refuses(denied, false, flow("192.0.2.1", "10.0.0.1", 81, "10.0.0.1", 81, 6)))
                .isFalse();
    }

    @Test
    void leavesToTheRelayWhatItCarries() {
        ConntrackFlow led = flow("10.0.0.1", "10.96.0.1", 80, "192.168.0.1", 45_000, 6);
        assertThat(refuses(CLUSTER, true, led)).isFalse();
        assertThat(refuses(CLUSTER, false, led)).isTrue();
    }
}
