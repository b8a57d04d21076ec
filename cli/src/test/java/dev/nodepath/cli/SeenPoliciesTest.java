package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Probes of the page name the policies that decide, and the kernel names the same ones; so does {@code trace}. */
@Tag("netns")
@Tag("page")
@ExtendWith(SharedCluster.OfAllClasses.class)
class SeenPoliciesTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** All are isolated for ingress, and the Pods of {@code web} on n1 for egress too. */
    private static final String POLICIES = """
            # kubectl reads a file that begins with a brace as JSON.
            {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: deny},
             spec: {podSelector: {matchExpressions: [{key: app, operator: In, values: [web, solo, client]}]},
                    policyTypes: [Ingress]}}
            ---
            {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: to-solo},
             spec: {podSelector: {matchLabels: {app: solo}}, policyTypes: [Ingress], ingress: [
               {from: [{ipBlock: {cidr: 192.0.2.0/24}}]},
               {from: [{podSelector: {matchLabels: {app: client}}}], ports: [{port: http}]}]}}
            ---
            {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: out},
             spec: {podSelector: {matchLabels: {place: n1}}, policyTypes: [Egress], egress: [
               {to: [{ipBlock: {cidr: 10.244.2.0/24}}]}]}}
            """;

    /** The tiers around {@link #POLICIES}: {@code web} is not isolated there, except for Pods on n1. */
    private static final String TIERS = """
            # As above.
            {apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: guard},
             spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [
               {name: watchers, action: Accept, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}],
                protocols: [{tcp: {destinationPort: {number: 8080}}}]},
               {name: to-teams, action: Pass, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: client}}}}]},
               {action: Deny, from: [{namespaces: {}}]}],
              egress: [{name: no-metrics, action: Deny, to: [{networks: [172.30.0.0/24]}],
                protocols: [{tcp: {destinationPort: {number: 10256}}}]}]}}
            ---
            {apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: base},
             spec: {tier: Baseline, priority: 5, subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}},
              ingress: [
               {name: same, action: Pass, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 5001}}}]},
               {name: nobody, action: Deny, from: [{namespaces: {}}]}]}}
            ---
            {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: to-solo},
             spec: {podSelector: {matchLabels: {app: solo}}, policyTypes: [Ingress], ingress: [
               {from: [{podSelector: {matchLabels: {app: client}}}], ports: [{port: http}]}]}}
            """;

    @TempDir
    private static Path folder;

    private static SharedCluster cluster = SharedCluster.NONE;

    @BeforeAll
    static void share(SharedCluster shared) {
        cluster = shared;
    }

    @AfterEach
    void removePolicies() throws Exception {
        kubectl("delete", "networkpolicy,clusternetworkpolicy", "--all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nftables", "iptables"})
    void theKernelDecidesByTheRuleThatTheProbeNames(String mode) throws Exception {
        begin(mode, POLICIES);

        // Through a Service and directly, on one node's bridge and between nodes.
        check("""
                client-2 | solo:80 | answered | ingress allowed by to-solo 1, kernel
                client-1 | solo:80 | answered | ingress allowed by to-solo 1, kernel
                client-2 | web-3:8080 | silent | ingress refused by deny, kernel
                client-1 | web:80 | silent | ingress refused by deny, kernel
                web-1 | solo:80 | silent | egress allowed by out 0, kernel; ingress refused by deny to-solo, kernel
                web-1 | web-2:8080 | silent | egress refused by out, kernel
                web-1 | void:80 | silent | egress refused by out, kernel
                web-1 | n1:10256 | silent | egress refused by out, kernel
                web-1 | n2:30280 | silent | egress refused by out, kernel
                solo | solo:80 | answered | ingress free itself, kernel
                n2 | solo:80 | answered | ingress free own_node
                n1 | solo:80 | silent | ingress refused by deny to-solo, kernel
                client | n2:30280 | silent | ingress refused by deny to-solo, kernel
                client | n1:30280 | silent | ingress refused by deny to-solo, kernel
                solo | void:80 | refused | no policy
                client-1 | kube-dns.kube-system:53/udp | answered | no policy
                """);
    }

    @Test
    void theKernelDecidesByTheTierThatTheProbeNames() throws Exception {
        begin("nftables", TIERS);

        check("""
                client-1 | solo:80 | answered | egress free not_isolated, kernel; ingress passed by guard 1 allowed by to-solo 0, kernel
                client-2 | solo:80 | answered | egress free not_isolated, kernel; ingress passed by guard 1 allowed by to-solo 0, kernel
                web-1 | solo:80 | answered | egress free not_isolated, kernel; ingress accepted by guard 0, kernel
                web-1 | web-2:8080 | answered | egress free not_isolated, kernel; ingress accepted by guard 0, kernel
                client-1 | web-3:8080 | silent | egress free not_isolated, kernel; ingress passed by guard 1 denied by base 1, kernel
                client-1 | web-3:5001 | taken | egress free not_isolated, kernel; ingress passed by guard 1 passed by base 0 free not_isolated, kernel
                solo | web-3:8080 | silent | egress free not_isolated, kernel; ingress denied by guard 2, kernel
                client-1 | n1:10256 | silent | egress denied by guard 0, kernel
                client-1 | n2:10256 | silent | egress denied by guard 0, kernel
                n2 | solo:80 | answered | ingress free own_node
                client | n2:30280 | silent | ingress refused by to-solo, kernel
                client-1 | kube-dns.kube-system:53/udp | answered | egress free not_isolated, kernel; ingress passed by guard 1 free not_isolated, kernel
                """);
    }

    @Test
    void theRelayAsksWhereTheKernelDoesNotSeeTheConnection() throws Exception {
        begin("userspace", POLICIES);

        check("""
                client-2 | solo:80 | answered | ingress allowed by to-solo 1
                web-1 | solo:80 | closed | egress allowed by out 0; ingress refused by deny to-solo
                client-1 | web:80 | closed | ingress refused by deny; ingress refused by deny; ingress refused by deny
                web-1 | web:80 | answered | egress refused by out; egress allowed by out 0; ingress refused by deny; egress free itself; ingress free itself
                n1 | solo:80 | taken | ingress refused by deny to-solo, kernel
                solo | solo:80 | answered | ingress free itself
                n2 | solo:80 | answered | ingress free own_node
                client-2 | web-3:8080 | silent | ingress refused by deny, kernel
                web-1 | void:80 | silent | egress refused by out, kernel
                client | n2:30280 | closed | ingress refused by deny to-solo
                """);
    }

    @Test
    void traceSaysItInWords() throws Exception {
        begin("nftables", POLICIES);

        assertThat(cluster.script().run("trace", "client-2", "web-3:8080").output())
                .contains(
                        "Ingress: default/web-3 is isolated by default/deny; no rule of it allows default/client-2 (TCP port"
                                + " 8080). The packet is dropped: its sender gets no answer.",
                        "ip nodepath-policy forward-ingress",
                        "100.0% is dropped: the sender gets no answer");
        JsonNode json = JSON.readTree(cluster.script()
                .ask("trace", "client-2", "solo:80", "-o", "json")
                .output());
        assertThat(json.findValue("policy")).isEqualTo(JSON.readTree("""
                        {"asker": "kernel", "direction": "ingress", "pod": "default/solo",
                         "isolatedBy": ["default/deny", "default/to-solo"],
                         "admin": [], "baseline": [], "answer": "allowed", "by": {"policy": "default/to-solo", "rule": 1}}
                        """));
    }

    private static void begin(String mode, String policies) throws IOException, InterruptedException {
        cluster.whole(mode);
        Path file = Files.writeString(folder.resolve("policies.yaml"), policies);
        kubectl("apply", "-f", file.toString());
    }

    private static void kubectl(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("kubectl"));
        all.addAll(List.of(arguments));
        NodepathScript.Result result = cluster.script().ask(all.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    /**
     * Each line: sender, destination, the outcome, the answers of the policies. The tables follow the policies a
     * moment later.
     */
    private static void check(String expected) {
        expected.lines()
                .forEach(line ->
                        Eventually.isTrue(() -> seen(line), () -> seen(line).equals(line)));
    }

    private static String seen(String line) {
        String[] parts = line.split(" \\| ", -1);
        try {
            return parts[0] + " | " + parts[1] + " | " + seen(probe(parts[0], parts[1]));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(line, e);
        }
    }

    private static JsonNode probe(String from, String to) throws IOException, InterruptedException {
        return cluster.page()
                .post("probe", JSON.createObjectNode().put("from", from).put("to", to));
    }

    /** The outcome, each policy's answer with the kernel's agreement, and the differences. */
    private static String seen(JsonNode answer) {
        List<String> policies = new ArrayList<>();
        for (JsonNode step : answer.path("steps")) {
            JsonNode policy = step.path("policy");
            if (policy.isMissingNode()) {
                continue;
            }
            String said = switch (policy.path("answer").asText()) {
                case "refused" -> " by " + String.join(" ", texts(policy.path("isolatedBy")));
                case "free" -> " " + policy.path("reason").asText();
                default -> " by " + rule(policy.path("by"));
            };
            StringBuilder passed = new StringBuilder();
            policy.path("passedBy").forEach(rule -> passed.append(" passed by ").append(rule(rule)));
            policies.add(policy.path("direction").asText() + passed + " "
                    + policy.path("answer").asText() + said.replace("default/", "")
                    + (step.path("kernel").asBoolean() ? ", kernel" : ""));
        }
        String differences = String.join(" ", texts(answer.path("differences")));
        return answer.at("/observed/kind").asText() + " | "
                + (policies.isEmpty() ? "no policy" : String.join("; ", policies))
                + (differences.isEmpty() ? "" : " | " + differences);
    }

    private static String rule(JsonNode rule) {
        return rule.path("policy").asText() + " " + rule.path("rule");
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }
}
