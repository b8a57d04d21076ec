package dev.nodepath.policy.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.TestObjects;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The deciding policy of a packet, in words. */
class PolicySentenceTest {
    private static final String TO_WEB = "{podSelector: {matchLabels: {app: 'web'}}, ingress: ";
    private static final Map<String, String> ADDRESSES =
            Map.of("web", "10.244.1.2", "client", "10.244.1.4", "solo", "10.244.1.5", "n2", "172.30.0.12");

    private static final TestObjects PODS = TestObjects.NONE
            .namespace("default", "{}")
            .pod("default/web", address("web"), "{app: 'web'}")
            .pod("default/client", address("client"), "{app: 'client'}")
            .pod("default/solo", address("solo"), "{app: 'solo'}");

    private static final TestObjects POLICIES = PODS.policy("default/deny-all", TO_WEB + "[]}")
            .policy("default/from-client", TO_WEB + """
                    [{from: [{ipBlock: {cidr: '192.0.2.0/24'}}]}, {from: [{podSelector: {matchLabels: {app: 'client'}}}]}]}
                    """)
            .policy("default/out", "{podSelector: {matchLabels: {app: 'web'}}, policyTypes: ['Egress']}");

    private static final TestObjects TIERS = PODS.clusterPolicy("guard", """
                    {tier: 'Admin', priority: 1, subject: {namespaces: {}}, ingress: [
                      {name: 'to teams', action: 'Pass', from: [{pods: {podSelector: {matchLabels: {app: 'client'}}}}]},
                      {action: 'Accept', from: [{pods: {podSelector: {matchLabels: {app: 'solo'}}}}]}]}
                    """).clusterPolicy("base", """
                    {tier: 'Baseline', priority: 1, subject: {pods: {podSelector: {matchLabels: {app: 'web'}}}}, ingress: [
                      {name: 'nobody', action: 'Deny', from: [{namespaces: {}}]}]}
                    """);

    private static String address(String pod) {
        return Objects.requireNonNull(ADDRESSES.get(pod));
    }

    private static String sentence(TestObjects objects, Direction direction, String from, String to, boolean ownNode) {
        PolicyPacket packet =
                new PolicyPacket(IpAddress.parse(address(from)), IpAddress.parse(address(to)), 6, 80, ownNode);
        String other = direction == Direction.INGRESS ? from : to;
        return new PolicyEvaluator(objects.snapshot())
                .question(direction, packet)
                .map(question -> PolicySentence.of(question, other, "TCP port 80"))
                .orElse("");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            INGRESS | solo   | web    | default/web is isolated by default/deny-all and default/from-client; no rule of them allows solo (TCP port 80)
            INGRESS | client | web    | default/web is isolated by default/deny-all and default/from-client; rule ingress[1] of default/from-client allows client (TCP port 80)
            INGRESS | web    | web    | default/web is isolated by default/deny-all and default/from-client, but a pod always reaches itself
            EGRESS  | web    | client | default/web is isolated by default/out; no rule of it allows client (TCP port 80)
            INGRESS | web    | client | ''
            EGRESS  | client | web    | ''
            INGRESS | client | n2     | ''
            """)
    void namesThePolicies(Direction direction, String from, String to, String expected) {
        assertThat(sentence(POLICIES, direction, from, to, false)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            solo   | web    | rule ingress[1] of ClusterNetworkPolicy guard, tier Admin, accepts solo to default/web (TCP port 80)
            web    | web    | rule ingress[0] (nobody) of ClusterNetworkPolicy base, tier Baseline, denies web to default/web (TCP port 80)
            client | web    | rule ingress[0] (to teams) of ClusterNetworkPolicy guard, tier Admin, passes client to default/web (TCP port 80) on; rule ingress[0] (nobody) of ClusterNetworkPolicy base, tier Baseline, denies client to default/web (TCP port 80)
            client | solo   | rule ingress[0] (to teams) of ClusterNetworkPolicy guard, tier Admin, passes client to default/solo (TCP port 80) on; no other policy refuses it
            n2     | web    | no NetworkPolicy isolates default/web, and no rule of the ClusterNetworkPolicies guard and base matches n2 to default/web (TCP port 80)
            """)
    void namesTheTiersAndTheirRules(String from, String to, String expected) {
        assertThat(sentence(TIERS, Direction.INGRESS, from, to, false)).isEqualTo(expected);
    }

    @Test
    void aNodeReachesItsOwnPods() {
        assertThat(sentence(POLICIES, Direction.INGRESS, "n2", "web", true))
                .isEqualTo("default/web is isolated by default/deny-all and default/from-client,"
                        + " but a node always reaches its own pods");
        assertThat(sentence(TIERS, Direction.INGRESS, "n2", "web", true))
                .isEqualTo("policies are asked about default/web, but a node always reaches its own pods");
    }
}
