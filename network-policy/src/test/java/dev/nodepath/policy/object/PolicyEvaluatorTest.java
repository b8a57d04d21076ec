package dev.nodepath.policy.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.TestObjects;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Kubernetes' documentation of NetworkPolicies, point by point. */
class PolicyEvaluatorTest {
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP = 1;
    private static final int SCTP = 132;

    private static final String PORTS = "{nodeName: 'n1', containers: [{ports: ["
            + "{name: 'http', containerPort: 80}, {name: 'dns', containerPort: 53, protocol: 'UDP'}]}]}";

    /** Namespaces x and y with pods a and b; b of y calls another number http. Namespace z of a third a is not known. */
    private static final TestObjects CLUSTER = TestObjects.NONE
            .namespace("x", "{ns: 'x'}")
            .namespace("y", "{ns: 'y', team: 'blue'}")
            .pod("x/a", "{pod: 'a'}", PORTS, "{podIPs: [{ip: '10.0.0.1'}, {ip: 'fd00::1'}]}")
            .pod("x/b", "{pod: 'b'}", PORTS, "{podIP: '10.0.0.2'}")
            .pod("y/a", "{pod: 'a', role: 'client'}", PORTS, "{podIP: '10.0.0.3'}")
            .pod("z/a", "{pod: 'a'}", PORTS, "{podIP: '10.0.0.5'}")
            .pod(
                    "y/b",
                    "{pod: 'b'}",
                    "{nodeName: 'n1', containers: [{ports: [{name: 'http', containerPort: 81}]}]}",
                    "{podIP: '10.0.0.4'}");

    private static Arguments row(
            String title, String spec, boolean passes, String from, String to, int protocol, int port) {
        return arguments(title, spec, passes, from, to, protocol, port);
    }

    private static Arguments passes(String title, String spec, String from, String to) {
        return row(title, spec, true, from, to, TCP, 80);
    }

    private static Arguments stops(String title, String spec, String from, String to) {
        return row(title, spec, false, from, to, TCP, 80);
    }

    /** Each policy is named x/p. */
    static Stream<Arguments> points() {
        String allInX = "{podSelector: {}, policyTypes: ['Ingress'], ingress: ";
        String toA = "{podSelector: {matchLabels: {pod: 'a'}}, ingress: ";
        String fromX = "{podSelector: {}, policyTypes: ['Egress'], egress: ";
        return Stream.of(
                stops("an empty selector isolates all pods of the namespace", allInX + "[]}", "y/a", "x/b"),
                passes("other namespaces are not isolated", allInX + "[]}", "x/a", "y/a"),
                passes("ingress alone does not isolate egress", allInX + "[]}", "x/a", "y/b"),
                passes("a pod that the policy does not select is not isolated", toA + "[]}", "y/a", "x/b"),
                stops("without types a policy is for ingress", "{podSelector: {}}", "y/a", "x/a"),
                passes("without types an empty egress isolates nothing", "{podSelector: {}, egress: []}", "x/a", "y/a"),
                stops(
                        "without types an egress rule isolates egress",
                        "{podSelector: {}, egress: [{ports: [{port: 1}]}]}",
                        "x/a",
                        "y/a"),
                stops(
                        "without types an egress rule isolates ingress too",
                        "{podSelector: {}, egress: [{}]}",
                        "y/a",
                        "x/a"),
                stops("types alone deny", "{podSelector: {}, policyTypes: ['Egress']}", "x/a", "y/a"),
                passes("an empty rule allows all", allInX + "[{}]}", "y/a", "x/a"),
                row("an empty rule allows other protocols", allInX + "[{}]}", true, "y/a", "x/a", ICMP, 0),
                passes("an empty from allows any peer", allInX + "[{from: []}]}", "192.0.2.9", "x/a"),
                row("a rule with ports stops ICMP", allInX + "[{ports: [{port: 80}]}]}", false, "y/a", "x/a", ICMP, 0),
                stops(
                        "an empty namespaceSelector chooses no namespace that is not known",
                        allInX + "[{from: [{namespaceSelector: {}}]}]}",
                        "z/a",
                        "x/a"),
                stops(
                        "nor does one of labels that are not there",
                        allInX + "[{from: [{namespaceSelector:"
                                + " {matchExpressions: [{key: 'team', operator: 'DoesNotExist'}]}}]}]}",
                        "z/a",
                        "x/a"),
                passes(
                        "podSelector is of the policy's namespace",
                        toA + "[{from: [{podSelector: {matchLabels: {pod: 'b'}}}]}]}",
                        "x/b",
                        "x/a"),
                stops("and of no other", toA + "[{from: [{podSelector: {matchLabels: {pod: 'b'}}}]}]}", "y/b", "x/a"),
                passes(
                        "namespaceSelector means all pods of it",
                        toA + "[{from: [{namespaceSelector: {matchLabels: {team: 'blue'}}}]}]}",
                        "y/b",
                        "x/a"),
                stops(
                        "also of the own one only if it is chosen",
                        toA + "[{from: [{namespaceSelector: {matchLabels: {team: 'blue'}}}]}]}",
                        "x/b",
                        "x/a"),
                stops(
                        "both in one entry are AND",
                        toA
                                + "[{from: [{namespaceSelector: {matchLabels: {ns: 'y'}}, podSelector: {matchLabels: {pod: 'b'}}}]}]}",
                        "y/a",
                        "x/a"),
                passes(
                        "two entries are OR",
                        toA
                                + "[{from: [{namespaceSelector: {matchLabels: {ns: 'y'}}}, {podSelector: {matchLabels: {pod: 'b'}}}]}]}",
                        "x/b",
                        "x/a"),
                passes(
                        "an empty namespaceSelector chooses all",
                        toA + "[{from: [{namespaceSelector: {}}]}]}",
                        "y/b",
                        "x/a"),
                passes(
                        "a namespace has its name as a label",
                        toA + "[{from: [{namespaceSelector: {matchLabels: {'kubernetes.io/metadata.name': 'y'}}}]}]}",
                        "y/b",
                        "x/a"),
                stops(
                        "but no address that is no pod's",
                        toA + "[{from: [{namespaceSelector: {}}]}]}",
                        "192.0.2.9",
                        "x/a"),
                passes(
                        "In",
                        toA
                                + "[{from: [{namespaceSelector: {matchExpressions: [{key: 'ns', operator: 'In', values: ['x', 'y']}]}}]}]}",
                        "y/b",
                        "x/a"),
                stops(
                        "NotIn",
                        toA
                                + "[{from: [{namespaceSelector: {matchExpressions: [{key: 'ns', operator: 'NotIn', values: ['y']}]}}]}]}",
                        "y/b",
                        "x/a"),
                passes(
                        "NotIn without the label",
                        toA
                                + "[{from: [{namespaceSelector: {matchExpressions: [{key: 'team', operator: 'NotIn', values: ['blue']}]}}]}]}",
                        "x/b",
                        "x/a"),
                stops(
                        "Exists",
                        toA
                                + "[{from: [{namespaceSelector: {matchExpressions: [{key: 'team', operator: 'Exists'}]}}]}]}",
                        "x/b",
                        "x/a"),
                passes(
                        "DoesNotExist",
                        toA
                                + "[{from: [{namespaceSelector: {matchExpressions: [{key: 'team', operator: 'DoesNotExist'}]}}]}]}",
                        "x/b",
                        "x/a"),
                passes("ipBlock", toA + "[{from: [{ipBlock: {cidr: '192.0.2.0/24'}}]}]}", "192.0.2.9", "x/a"),
                stops(
                        "ipBlock without except",
                        toA + "[{from: [{ipBlock: {cidr: '192.0.2.0/24', except: ['192.0.2.8/29']}}]}]}",
                        "192.0.2.9",
                        "x/a"),
                passes(
                        "an excepted address may be allowed elsewhere",
                        toA
                                + "[{from: [{ipBlock: {cidr: '192.0.2.0/24', except: ['192.0.2.8/29']}}]}, {from: [{ipBlock: {cidr: '192.0.2.9/32'}}]}]}",
                        "192.0.2.9",
                        "x/a"),
                passes(
                        "ipBlock counts for pods too",
                        toA + "[{from: [{ipBlock: {cidr: '10.0.0.3/32'}}]}]}",
                        "y/a",
                        "x/a"),
                stops("ipBlock of the other family", toA + "[{from: [{ipBlock: {cidr: 'fd00::/8'}}]}]}", "y/a", "x/a"),
                passes(
                        "an IPv4-mapped network is one of IPv4",
                        toA + "[{from: [{ipBlock: {cidr: '::ffff:192.0.2.0/120'}}]}]}",
                        "192.0.2.9",
                        "x/a"),
                stops(
                        "an IPv4-mapped except too",
                        toA + "[{from: [{ipBlock: {cidr: '0.0.0.0/0', except: ['::ffff:192.0.2.0/120']}}]}]}",
                        "192.0.2.9",
                        "x/a"),
                passes(
                        "host bits of a network do not count",
                        toA + "[{from: [{ipBlock: {cidr: '192.0.2.77/24', except: ['192.0.2.77/29']}}]}]}",
                        "192.0.2.9",
                        "x/a"),
                stops("a port", allInX + "[{ports: [{port: 81}]}]}", "y/a", "x/a"),
                row("TCP is the default protocol", allInX + "[{ports: [{port: 80}]}]}", false, "y/a", "x/a", UDP, 80),
                row(
                        "every port of a protocol",
                        allInX + "[{ports: [{protocol: 'UDP'}]}]}",
                        true,
                        "y/a",
                        "x/a",
                        UDP,
                        4711),
                stops("and of no other protocol", allInX + "[{ports: [{protocol: 'UDP'}]}]}", "y/a", "x/a"),
                stops("SCTP never opens TCP", allInX + "[{ports: [{protocol: 'SCTP', port: 80}]}]}", "y/a", "x/a"),
                row("SCTP", allInX + "[{ports: [{protocol: 'SCTP', port: 80}]}]}", true, "y/a", "x/a", SCTP, 80),
                passes("endPort", allInX + "[{ports: [{port: 70, endPort: 80}]}]}", "y/a", "x/a"),
                stops("beyond endPort", allInX + "[{ports: [{port: 70, endPort: 79}]}]}", "y/a", "x/a"),
                passes("one of several ports", allInX + "[{ports: [{port: 1}, {port: 80}]}]}", "y/a", "x/a"),
                passes("a named port of the subject", allInX + "[{ports: [{port: 'http'}]}]}", "y/a", "x/a"),
                stops("a name of another protocol", allInX + "[{ports: [{port: 'dns'}]}]}", "y/a", "x/a"),
                row(
                        "a name with its protocol",
                        allInX + "[{ports: [{port: 'dns', protocol: 'UDP'}]}]}",
                        true,
                        "y/a",
                        "x/a",
                        UDP,
                        53),
                passes("egress: a named port of the peer", fromX + "[{ports: [{port: 'http'}]}]}", "x/a", "y/a"),
                stops("egress: another peer has another number", fromX + "[{ports: [{port: 'http'}]}]}", "x/a", "y/b"),
                row("egress: that number", fromX + "[{ports: [{port: 'http'}]}]}", true, "x/a", "y/b", TCP, 81),
                passes(
                        "egress to a selector",
                        fromX + "[{to: [{namespaceSelector: {matchLabels: {ns: 'y'}}}]}]}",
                        "x/a",
                        "y/b"),
                stops(
                        "egress to others",
                        fromX + "[{to: [{namespaceSelector: {matchLabels: {ns: 'y'}}}]}]}",
                        "x/a",
                        "x/b"),
                passes("a pod reaches itself", "{podSelector: {}, policyTypes: ['Ingress', 'Egress']}", "x/a", "x/a"),
                stops("an unusable peer is not any peer", allInX + "[{from: [{}]}]}", "y/a", "x/a"),
                stops("an unusable port is not any port", allInX + "[{ports: [{port: 0}]}]}", "y/a", "x/a"),
                stops("an endPort alone is not every port", allInX + "[{ports: [{endPort: 79}]}]}", "y/a", "x/a"),
                stops(
                        "an unknown protocol is not TCP",
                        allInX + "[{ports: [{protocol: 'ICMP', port: 80}]}]}",
                        "y/a",
                        "x/a"),
                stops(
                        "a selector with an unknown operator",
                        allInX
                                + "[{from: [{podSelector: {matchExpressions: [{key: 'a', operator: 'Gt', values: ['1']}]}}]}]}",
                        "x/b",
                        "x/a"),
                stops(
                        "a block with an unreadable except",
                        allInX + "[{from: [{ipBlock: {cidr: '10.0.0.0/8', except: ['10']}}]}]}",
                        "y/a",
                        "x/a"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("points")
    void holdsPointByPoint(String title, String spec, boolean passes, String from, String to, int protocol, int port) {
        PolicyVerdict verdict = new PolicyEvaluator(CLUSTER.policy("x/p", spec).snapshot())
                .judge(new PolicyPacket(address(from), address(to), protocol, port));
        assertThat(verdict.passes()).as("%s: %s", title, verdict).isEqualTo(passes);
    }

    private static IpAddress address(String end) {
        return end.contains("/")
                ? Objects.requireNonNull(CLUSTER.snapshot().pods().get(TestObjects.name(end)))
                        .addresses()
                        .get(0)
                : IpAddress.parse(end);
    }

    private static PolicyVerdict verdict(TestObjects objects, String from, String to) {
        return new PolicyEvaluator(objects.snapshot()).judge(new PolicyPacket(address(from), address(to), TCP, 80));
    }

    @Test
    void policiesAdd() {
        TestObjects objects = CLUSTER.policy("x/deny", "{podSelector: {}}")
                .policy("x/web", "{podSelector: {}, ingress: [{ports: [{port: 1}]}, {ports: [{port: 80}]}]}");
        assertThat(verdict(objects, "y/a", "x/a").ingress())
                .isEqualTo(new PolicyAnswer.Allowed(TestObjects.name("x/web"), 1));
    }

    @Test
    void tellsWhoIsolates() {
        TestObjects objects = CLUSTER.policy("x/deny", "{podSelector: {}}")
                .policy("x/also", "{podSelector: {}, ingress: [{ports: [{port: 1}]}]}");
        PolicyVerdict verdict = verdict(objects, "y/a", "x/a");
        assertThat(verdict.egress()).isEqualTo(new PolicyAnswer.Free(PolicyAnswer.Reason.NOT_ISOLATED));
        assertThat(verdict.ingress())
                .isEqualTo(new PolicyAnswer.Refused(
                        TestObjects.name("x/a"), List.of(TestObjects.name("x/also"), TestObjects.name("x/deny"))));
    }

    @Test
    void rulesKeepTheirNumbersIfOneIsUnusable() {
        TestObjects objects = CLUSTER.policy("x/p", "{podSelector: {}, ingress: [{from: [{}]}, {}]}");
        assertThat(verdict(objects, "y/a", "x/a").ingress())
                .isEqualTo(new PolicyAnswer.Allowed(TestObjects.name("x/p"), 1));
        assertThat(objects.firstProblem())
                .isEqualTo("spec.ingress[0].from[0].ipBlock: missing (expected: it or a selector)");
    }

    @Test
    void bothEndsMustAllow() {
        TestObjects objects = CLUSTER.policy("x/in", "{podSelector: {}, ingress: [{}]}")
                .policy("y/out", "{podSelector: {}, policyTypes: ['Egress']}");
        assertThat(verdict(objects, "y/a", "x/a").passes()).isFalse();
        assertThat(verdict(objects, "x/b", "x/a").passes()).isTrue();
    }

    @Test
    void theOwnNodeAlwaysReachesItsPods() {
        TestObjects objects = CLUSTER.policy("x/deny", "{podSelector: {}}");
        PolicyPacket probe = new PolicyPacket(IpAddress.parse("192.0.2.1"), address("x/a"), TCP, 80, true);
        assertThat(new PolicyEvaluator(objects.snapshot()).judge(probe).ingress())
                .isEqualTo(new PolicyAnswer.Free(PolicyAnswer.Reason.OWN_NODE));
        assertThat(verdict(objects, "192.0.2.1", "x/a").passes()).isFalse();
    }

    @Test
    void podsOfTheHostsNetworkAreNeverIsolated() {
        TestObjects objects = CLUSTER.pod("x/host", "{pod: 'a'}", "{hostNetwork: true}", "{podIP: '192.0.2.1'}")
                .policy("x/deny", "{podSelector: {}, policyTypes: ['Ingress', 'Egress']}");
        assertThat(objects.snapshot().pods()).doesNotContainKey(TestObjects.name("x/host"));
        assertThat(verdict(objects, "y/a", "192.0.2.1").passes()).isTrue();
    }

    @Test
    void endedPodsDoNotCount() {
        TestObjects objects = CLUSTER;
        for (String phase : List.of("Succeeded", "Failed")) {
            objects = objects.pod("x/job-" + phase, "{pod: 'b'}", "{}", "{podIP: '10.0.0.9', phase: '" + phase + "'}");
        }
        objects = objects.policy("x/p", "{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}");
        assertThat(verdict(objects, "10.0.0.9", "x/a").passes()).isFalse();
    }

    @Test
    void bothFamiliesAreAsked() {
        TestObjects objects =
                CLUSTER.policy("x/p", "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 'fd00::/16'}}]}]}");
        PolicyEvaluator evaluator = new PolicyEvaluator(objects.snapshot());
        IpAddress pod = IpAddress.parse("fd00::1");
        assertThat(evaluator
                        .judge(new PolicyPacket(IpAddress.parse("fd00::7"), pod, TCP, 80))
                        .passes())
                .isTrue();
        assertThat(evaluator
                        .judge(new PolicyPacket(IpAddress.parse("fd01::7"), pod, TCP, 80))
                        .passes())
                .isFalse();
    }

    @Test
    void aPolicyWhoseSubjectsAreUnreadableIsSkippedAndNamed() {
        TestObjects objects = CLUSTER.policy("x/p", "{podSelector: {matchExpressions: [{key: 'a', operator: 'Gt'}]}}");
        assertThat(objects.snapshot().policies()).isEmpty();
        assertThat(objects.firstProblem())
                .isEqualTo("spec.podSelector.matchExpressions[0].operator: \"Gt\""
                        + " (expected: In, NotIn, Exists or DoesNotExist)");
    }
}
