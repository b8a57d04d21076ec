package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A relay that keeps its clients' addresses: policies know the clients, and traces say what pods see. {@code
 * UpstreamPoliciesTest} has more of policies.
 */
@Tag("netns")
@Timeout(900)
class KeptClientAddressTest {
    @TempDir
    private static Path folder;

    private static NodepathScript nodepath = new NodepathScript(Path.of("/"));

    @BeforeAll
    static void up() throws IOException, InterruptedException {
        nodepath = NodepathScript.up(folder, "--mode=userspace", "--keep-client-address");
    }

    @AfterAll
    static void down() throws IOException, InterruptedException {
        nodepath.down();
    }

    @Test
    void tracesSayWhereRealRequestsGoAndWhatSourceTheyShow() throws Exception {
        new TracedRequests(nodepath).areAsInMode("userspace");
    }

    @Test
    void deniesAllThenLetsOneClientIn() throws Exception {
        assertThat(reached("client-1")).as("before").isNotEmpty();
        String applied = apply("""
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicy
                metadata: {name: deny-all}
                spec: {podSelector: {}}
                """);
        assertThat(applied).doesNotContain("Warning");
        awaitReached("client-1", false);
        awaitReached("client-2", false);

        apply("""
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicy
                metadata: {name: let-one-in}
                spec:
                  podSelector: {}
                  ingress: [{from: [{podSelector: {matchLabels: {may: enter}}}]}]
                """);
        nodepath.ask("kubectl", "label", "pod", "client-1", "may=enter");
        awaitReached("client-1", true);
        assertThat(reached("client-2")).isEmpty();

        nodepath.ask("kubectl", "delete", "networkpolicy", "--all");
        awaitReached("client-2", true);
    }

    @Test
    void aPolicyOfTheClusterIsAppliedOrRefusedAsElsewhere() throws Exception {
        String policy = """
                apiVersion: policy.networking.k8s.io/v1alpha2
                kind: ClusterNetworkPolicy
                metadata: {name: guard}
                spec:
                  tier: TIER
                  priority: 10
                  subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: default}}}
                  ingress: [{action: Deny, from: [{namespaces: {}}]}]
                """;
        Path wrong = Files.writeString(folder.resolve("wrong.yaml"), policy.replace("TIER", "Mine"));
        assertThat(nodepath.ask("kubectl", "apply", "-f", wrong.toString()).output())
                .contains("The ClusterNetworkPolicy \"guard\" is invalid: spec.tier: Unsupported value: \"Mine\":"
                        + " supported values: \"Admin\", \"Baseline\"");
        assertThat(apply(policy.replace("TIER", "Admin")))
                .contains("clusternetworkpolicy.policy.networking.k8s.io/guard created");
        assertThat(nodepath.ask("kubectl", "get", "cnp").output())
                .contains("NAME", "TIER", "PRIORITY", "AGE", "guard", "Admin", "10");
        awaitReached("client-1", false);
        nodepath.ask("kubectl", "delete", "clusternetworkpolicies", "--all");
        awaitReached("client-1", true);
    }

    private static void awaitReached(String client, boolean expected) {
        Eventually.isTrue(
                () -> client + " reaches web: " + expected,
                () -> reached(client).isEmpty() != expected);
    }

    /** The answers to several connections to the Service, whose Pods are on both nodes. */
    private static List<String> reached(String client) throws IOException, InterruptedException {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            NodepathScript.Result result = nodepath.ask("exec", client, "--", "curl", "-s", "-m", "1", "web");
            if (result.exitCode() == 0) {
                answers.add(result.output());
            }
        }
        return answers;
    }

    private static String apply(String manifest) throws IOException, InterruptedException {
        Path file = Files.writeString(Files.createTempFile(folder, "policy", ".yaml"), manifest);
        NodepathScript.Result result = nodepath.ask("kubectl", "apply", "-f", file.toString());
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }
}
