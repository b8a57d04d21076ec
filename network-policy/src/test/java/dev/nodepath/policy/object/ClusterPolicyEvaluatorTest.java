package dev.nodepath.policy.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.TestObjects;
import java.util.Collections;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The API documentation of ClusterNetworkPolicies, point by point. */
class ClusterPolicyEvaluatorTest {
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int SCTP = 132;

    private static final String PORTS = "{nodeName: 'n1', containers: [{ports: ["
            + "{name: 'http', containerPort: 80}, {name: 'dns', containerPort: 53, protocol: 'UDP'}]}]}";

    /** Each namespace has a pod of its own name and one of another. */
    private static final TestObjects CLUSTER = TestObjects.NONE
            .namespace("red", "{team: 'red'}")
            .namespace("blue", "{team: 'blue'}")
            .namespace("green", "{team: 'green'}")
            .pod("red/a", "{pod: 'a'}", PORTS, "{podIPs: [{ip: '10.0.1.1'}, {ip: 'fd00::1:1'}]}")
            .pod("red/b", "{pod: 'b'}", PORTS, "{podIPs: [{ip: '10.0.1.2'}, {ip: 'fd00::1:2'}]}")
            .pod("blue/a", "{pod: 'a'}", PORTS, "{podIPs: [{ip: '10.0.2.1'}, {ip: 'fd00::2:1'}]}")
            .pod("blue/b", "{pod: 'b'}", PORTS, "{podIPs: [{ip: '10.0.2.2'}, {ip: 'fd00::2:2'}]}")
            .pod("green/a", "{pod: 'a'}", PORTS, "{podIPs: [{ip: '10.0.3.1'}, {ip: 'fd00::3:1'}]}")
            .node("n1", "{os: 'linux'}", "192.0.2.1", "2001:db8::1")
            .node("n2", "{os: 'plan9'}", "192.0.2.2");

    private static final String RED = "{namespaces: {matchLabels: {team: 'red'}}}";
    private static final String BLUE = "{namespaces: {matchLabels: {team: 'blue'}}}";
    private static final String PODS_A_OF_BLUE =
            "{pods: {namespaceSelector: {matchLabels: {team: 'blue'}}, podSelector: {matchLabels: {pod: 'a'}}}}";
    private static final String PODS_A = "{pods: {podSelector: {matchLabels: {pod: 'a'}}}}";
    private static final String DENY_BLUE = "{action: 'Deny', from: [" + BLUE + "]}";
    private static final String ACCEPT_BLUE = "{action: 'Accept', from: [" + BLUE + "]}";
    private static final String PASS_BLUE = "{action: 'Pass', from: [" + BLUE + "]}";

    /** A policy for the pods of the namespace red. */
    private static String ingress(String... rules) {
        return ", subject: " + RED + ", ingress: [" + String.join(", ", rules) + "]}";
    }

    private static String egress(String... rules) {
        return ", subject: " + RED + ", egress: [" + String.join(", ", rules) + "]}";
    }

    private static String to(String action, String... peers) {
        return "{action: '" + action + "', to: [" + String.join(", ", peers) + "]}";
    }

    private static String protocols(String protocols) {
        return ingress("{action: 'Deny', from: [" + BLUE + "], protocols: [" + protocols + "]}");
    }

    private static Arguments row(
            String title, String policy, boolean passes, String from, String to, int protocol, int port) {
        return arguments(title, policy, passes, from, to, protocol, port);
    }

    private static Arguments passes(String title, String policy, String from, String to) {
        return row(title, policy, true, from, to, TCP, 80);
    }

    private static Arguments stops(String title, String policy, String from, String to) {
        return row(title, policy, false, from, to, TCP, 80);
    }

    static Stream<Arguments> points() {
        String numbers = protocols("{tcp: {destinationPort: {number: 80}}}, {udp: {destinationPort: {number: 53}}},"
                + " {sctp: {destinationPort: {range: {start: 9000, end: 9003}}}}");
        String named = protocols("{destinationNamedPort: 'http'}, {destinationNamedPort: 'dns'}");
        String nodes = egress(to("Deny", "{nodes: {matchLabels: {os: 'linux'}}}"));
        String pods = egress(to("Accept", PODS_A_OF_BLUE), to("Deny", "{networks: ['0.0.0.0/0', '::/0']}"));
        String aOfRed = ", subject: " + PODS_A + ", ingress: [" + DENY_BLUE + "]}";
        return Stream.of(
                stops("Deny refuses what it matches", ingress(DENY_BLUE), "blue/a", "red/a"),
                passes("and nothing else: there is no isolation", ingress(DENY_BLUE), "green/a", "red/a"),
                passes("other pods are no subject", ingress(DENY_BLUE), "blue/a", "green/a"),
                passes("ingress rules do not affect egress", ingress(DENY_BLUE), "red/a", "blue/a"),
                stops("egress rules refuse egress", egress(to("Deny", BLUE)), "red/a", "blue/a"),
                passes("and do not affect ingress", egress(to("Deny", BLUE)), "blue/a", "red/a"),
                passes("Accept alone isolates nothing", ingress(ACCEPT_BLUE), "green/a", "red/a"),
                passes("the first rule decides: Accept", ingress(ACCEPT_BLUE, DENY_BLUE), "blue/a", "red/a"),
                stops("the first rule decides: Deny", ingress(DENY_BLUE, ACCEPT_BLUE), "blue/a", "red/a"),
                passes("the first rule decides: Pass", ingress(PASS_BLUE, DENY_BLUE), "blue/a", "red/a"),
                stops("a subject of pods in any namespace", aOfRed, "blue/a", "red/a"),
                passes("and of no other pods", aOfRed, "blue/a", "red/b"),
                row("numbers: TCP", numbers, false, "blue/a", "red/a", TCP, 80),
                row("numbers: another one", numbers, true, "blue/a", "red/a", TCP, 81),
                row("numbers: UDP", numbers, false, "blue/a", "red/a", UDP, 53),
                row("numbers: of another protocol", numbers, true, "blue/a", "red/a", UDP, 80),
                row("a range: its first", numbers, false, "blue/a", "red/a", SCTP, 9000),
                row("a range: its last", numbers, false, "blue/a", "red/a", SCTP, 9003),
                row("a range: behind", numbers, true, "blue/a", "red/a", SCTP, 9004),
                row("a name is of every protocol: TCP", named, false, "blue/a", "red/a", TCP, 80),
                row("a name is of every protocol: UDP", named, false, "blue/a", "red/a", UDP, 53),
                row("a name is of the pod's protocol", named, true, "blue/a", "red/a", UDP, 80),
                row("a protocol alone has all ports", protocols("{udp: {}}"), false, "blue/a", "red/a", UDP, 7),
                row("and no other protocol's", protocols("{udp: {}}"), true, "blue/a", "red/a", TCP, 7),
                stops("nodes that a selector chooses", nodes, "red/a", "192.0.2.1"),
                stops("by every address", nodes, "fd00::1:1", "2001:db8::1"),
                passes("other nodes are none", nodes, "red/a", "192.0.2.2"),
                stops("an empty selector chooses all nodes", egress(to("Deny", "{nodes: {}}")), "red/a", "192.0.2.2"),
                passes("and no pods", egress(to("Deny", "{nodes: {}}")), "red/a", "blue/a"),
                passes("pods before networks", pods, "red/a", "blue/a"),
                stops("networks have pods too", pods, "red/a", "blue/b"),
                stops("of both families", pods, "fd00::1:1", "fd00::2:2"),
                stops("and what is outside", pods, "red/a", "198.51.100.7"),
                stops("a pod by its own Service", ingress("{action: 'Deny', from: [" + RED + "]}"), "red/a", "red/a"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("points")
    void holdsPointByPointInBothTiers(
            String title, String policy, boolean passes, String from, String to, int protocol, int port) {
        for (Tier tier : Tier.values()) {
            TestObjects objects = CLUSTER.clusterPolicy("p", "{tier: '" + tier + "', priority: 10" + policy);
            PolicyVerdict verdict = new PolicyEvaluator(objects.snapshot())
                    .judge(new PolicyPacket(address(from), address(to), protocol, port));
            assertThat(objects.firstProblem()).isEmpty();
            assertThat(verdict.passes()).as("%s, %s: %s", title, tier, verdict).isEqualTo(passes);
        }
    }

    private static IpAddress address(String end) {
        return end.contains("/")
                ? Objects.requireNonNull(CLUSTER.snapshot().pods().get(TestObjects.name(end)))
                        .addresses()
                        .get(0)
                : IpAddress.parse(end);
    }

    private static PolicyAnswer ingressOfRed(TestObjects objects, String from) {
        return new PolicyEvaluator(objects.snapshot())
                .judge(new PolicyPacket(address(from), address("red/a"), TCP, 80))
                .ingress();
    }

    private static TestObjects with(TestObjects objects, String name, String tier, int priority, String rule) {
        return objects.clusterPolicy(name, "{tier: '" + tier + "', priority: " + priority + ingress(rule));
    }

    /**
     * The answers of the policies admin, red/np and baseline, each of which may be missing, about a connection from
     * blue.
     */
    @ParameterizedTest
    @CsvSource({
        "Deny, allow, Accept, admin",
        "Accept, deny, Deny, admin",
        "Pass, allow, Deny, np",
        "Pass, deny, Accept, np refuses",
        "Pass, , Deny, baseline",
        "Pass, , Accept, baseline",
        "Pass, , Pass, open",
        "Pass, , , open",
        ", allow, Deny, np",
        ", deny, Accept, np refuses",
        ", , Deny, baseline",
        "Deny, , , admin",
        ", , , open"
    })
    void tiersDecideInTheirOrder(String admin, String np, String baseline, String decides) {
        TestObjects objects = CLUSTER;
        if (admin != null) {
            objects = with(objects, "admin", "Admin", 10, "{action: '" + admin + "', from: [" + BLUE + "]}");
        }
        if (np != null) {
            String rules = np.equals("allow") ? "[{from: [{namespaceSelector: {matchLabels: {team: 'blue'}}}]}]" : "[]";
            objects = objects.policy("red/np", "{podSelector: {}, ingress: " + rules + "}");
        }
        if (baseline != null) {
            objects = with(objects, "baseline", "Baseline", 10, "{action: '" + baseline + "', from: [" + BLUE + "]}");
        }
        PolicyAnswer answer = ingressOfRed(objects, "blue/a");
        String said = answer instanceof PolicyAnswer.Accepted accepted
                ? accepted.rule().policy()
                : answer instanceof PolicyAnswer.Denied denied
                        ? denied.rule().policy()
                        : answer instanceof PolicyAnswer.Allowed allowed
                                ? allowed.policy().name()
                                : answer instanceof PolicyAnswer.Refused refused
                                        ? refused.policies().get(0).name() + " refuses"
                                        : "open";
        assertThat(said).isEqualTo(decides);
        String action = decides.equals("admin") ? admin : decides.equals("baseline") ? baseline : "";
        assertThat(answer.allows())
                .isEqualTo(action.equals("Accept") || decides.equals("np") || decides.equals("open"));
    }

    /** The name decides where the API does not. */
    @ParameterizedTest
    @CsvSource({"1, 2, b", "2, 1, a", "5, 5, a"})
    void theLowerPriorityIsAskedFirst(int ofB, int ofA, String decides) {
        TestObjects objects = with(with(CLUSTER, "b", "Admin", ofB, DENY_BLUE), "a", "Admin", ofA, ACCEPT_BLUE);
        assertThat(ingressOfRed(objects, "blue/a").allows()).isEqualTo(decides.equals("a"));
    }

    @Test
    void passSkipsTheRestOfItsTier() {
        TestObjects objects = with(with(CLUSTER, "a", "Admin", 1, PASS_BLUE), "b", "Admin", 2, DENY_BLUE);
        assertThat(ingressOfRed(objects, "blue/a").allows()).isTrue();
        objects = with(with(CLUSTER, "a", "Baseline", 1, PASS_BLUE), "b", "Baseline", 2, DENY_BLUE);
        assertThat(ingressOfRed(objects, "blue/a").allows()).isTrue();
    }

    /** 65 pods with 64 ports are more than a policy may have. Networks without exceptions are one peer. */
    @ParameterizedTest
    @CsvSource({
        "Accept, '{namespaces: {}}', false",
        "Pass, '{namespaces: {}}', false",
        "Deny, '{namespaces: {}}', false",
        "Accept, '{networks: [''10.0.0.0/8'']}', true",
        "Deny, '{networks: [''192.0.2.0/24'']}', true"
    })
    void aRuleWithoutRoomFailsClosed(String action, String peer, boolean fits) {
        String ports = IntStream.range(0, 64)
                .mapToObj(port -> "{tcp: {destinationPort: {number: " + (17 + port) + "}}}")
                .collect(Collectors.joining(", "));
        String large = "{action: '" + action + "', to: [" + String.join(", ", Collections.nCopies(65, peer))
                + "], protocols: [" + ports + "]}";
        TestObjects objects = CLUSTER.clusterPolicy(
                "p", "{tier: 'Admin', priority: 1" + egress(large, to("Deny", "{namespaces: {}}")));
        assertThat(objects.firstProblem())
                .isEqualTo(fits ? "" : "spec.egress: 4160 rules, peers times ports (expected: at most 4096)");
        PolicyAnswer answer = new PolicyEvaluator(objects.snapshot())
                .judge(new PolicyPacket(address("red/a"), address("blue/a"), TCP, 80))
                .egress();
        assertThat(answer.allows()).isEqualTo(fits && action.equals("Accept"));
    }

    @Test
    void tellsTheRuleThatDecides() {
        String rules = ingress(
                "{action: 'Accept', from: [{namespaces: {matchLabels: {team: 'red'}}}]}",
                "{name: 'no blue', action: 'Deny', from: [" + BLUE + "]}");
        TestObjects objects = CLUSTER.clusterPolicy("guard", "{tier: 'Admin', priority: 0" + rules);
        assertThat(ingressOfRed(objects, "blue/a"))
                .isEqualTo(new PolicyAnswer.Denied(
                        TestObjects.name("red/a"),
                        new PolicyAnswer.ClusterRuleName(Tier.ADMIN, "guard", 1, "no blue")));
        assertThat(ingressOfRed(objects, "red/b"))
                .isEqualTo(new PolicyAnswer.Accepted(new PolicyAnswer.ClusterRuleName(Tier.ADMIN, "guard", 0, "")));
    }

    /** NetworkPolicies cut no pod from itself; ClusterNetworkPolicies do, by its own Service. */
    @Test
    void aPodByItsOwnServiceIsASubjectOfTheClusterAlone() {
        TestObjects isolated = CLUSTER.policy("red/deny", "{podSelector: {}}");
        assertThat(ingressOfRed(isolated, "red/a")).isEqualTo(new PolicyAnswer.Free(PolicyAnswer.Reason.ITSELF));
        String denyRed = "{action: 'Deny', from: [" + RED + "]}";
        assertThat(ingressOfRed(with(isolated, "b", "Baseline", 1, denyRed), "red/a"))
                .isEqualTo(new PolicyAnswer.Free(PolicyAnswer.Reason.ITSELF));
        assertThat(ingressOfRed(with(isolated, "a", "Admin", 1, denyRed), "red/a")
                        .allows())
                .isFalse();
    }

    @Test
    void theOwnNodeAlwaysReachesItsPods() {
        TestObjects objects = with(CLUSTER, "p", "Admin", 1, "{action: 'Deny', from: [{unknown: {}}]}");
        PolicyPacket probe = new PolicyPacket(IpAddress.parse("192.0.2.1"), address("red/a"), TCP, 80, true);
        assertThat(new PolicyEvaluator(objects.snapshot()).judge(probe).ingress())
                .isEqualTo(new PolicyAnswer.Free(PolicyAnswer.Reason.OWN_NODE));
        assertThat(ingressOfRed(objects, "192.0.2.1").allows()).isFalse();
    }

    /** As the API asks: Accept matches nothing, Deny and Pass deny all. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "from: [{}]",
                "from: []",
                "from: 1",
                "from: [1]",
                "from: [{newPeer: {}}]",
                "from: [{namespaces: {}}, {newPeer: {}}]",
                "from: [{namespaces: {}, pods: {podSelector: {}}}]",
                "from: [{namespaces: {matchExpressions: [{key: 'a', operator: 'Gt'}]}}]",
                "from: [{networks: ['0.0.0.0/0']}]",
                "from: [{namespaces: {}}], protocols: []",
                "from: [{namespaces: {}}], protocols: [{}]",
                "from: [{namespaces: {}}], protocols: [{icmp: {}}]",
                "from: [{namespaces: {}}], protocols: [{tcp: {sourcePort: 1}}]",
                "from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {}}}]",
                "from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 0}}}]",
                "from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {range: {start: 9, end: 8}}}}]",
                "from: [{namespaces: {}}], protocols: [{destinationNamedPort: 'No_Name'}]",
            })
    void aRuleThatCannotBeReadFailsClosed(String unreadable) {
        TestObjects denied = with(CLUSTER, "later", "Admin", 9, "{action: 'Deny', from: [{namespaces: {}}]}");
        TestObjects accepting = with(denied, "p", "Admin", 1, "{action: 'Accept', " + unreadable + "}");
        assertThat(accepting.firstProblem()).startsWith("spec.ingress[0].");
        assertThat(ingressOfRed(accepting, "blue/a").allows()).isFalse();
        assertThat(ingressOfRed(accepting, "198.51.100.7").allows()).isTrue();
        for (String action : new String[] {"Deny", "Pass", "NewAction"}) {
            TestObjects closed = with(CLUSTER, "p", "Admin", 1, "{action: '" + action + "', " + unreadable + "}");
            assertThat(ingressOfRed(closed, "198.51.100.7").allows()).as(action).isFalse();
        }
    }

    @Test
    void domainNamesAreRefusedWithAWord() {
        String rule = to("Accept", "{domainNames: ['example.org']}", "{networks: ['198.51.100.0/24']}");
        TestObjects objects = CLUSTER.clusterPolicy(
                "p", "{tier: 'Admin', priority: 1" + egress(rule, to("Deny", "{networks: ['0.0.0.0/0']}")));
        assertThat(objects.firstProblem())
                .isEqualTo("spec.egress[0].to[0].domainNames: not enforced"
                        + " (expected: networks, nodes, namespaces or pods)");
        PolicyEvaluator evaluator = new PolicyEvaluator(objects.snapshot());
        assertThat(evaluator
                        .judge(new PolicyPacket(address("red/a"), address("198.51.100.7"), TCP, 80))
                        .passes())
                .isTrue();
        assertThat(evaluator
                        .judge(new PolicyPacket(address("red/a"), address("203.0.113.7"), TCP, 80))
                        .passes())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{priority: 1, subject: {namespaces: {}}} | spec.tier: missing (expected: one of Admin, Baseline)",
                "{tier: 'Admin', subject: {namespaces: {}}} | spec.priority: missing (expected: 0 to 1000)",
                "{tier: 'Admin', priority: 1001, subject: {namespaces: {}}} | spec.priority: 1001 (expected: 0 to 1000)",
                "{tier: 'Admin', priority: 1} | spec.subject.namespaces: among the fields [] (expected: exactly one of"
                        + " namespaces, pods)",
            })
    void aPolicyWithoutAPlaceOrASubjectIsSkippedAndNamed(String spec, String problem) {
        TestObjects objects = CLUSTER.clusterPolicy("p", spec);
        assertThat(objects.snapshot().clusterPolicies()).doesNotContainKey(new NamespacedName("", "p"));
        assertThat(objects.firstProblem()).isEqualTo(problem);
    }
}
