package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code nodepath restart} of a pod, an agent and a node. */
@Tag("netns")
@Tag("page")
@ExtendWith(SharedCluster.OfAllClasses.class)
@Timeout(900)
class RestartedPartsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static SharedCluster cluster = SharedCluster.NONE;

    private String mode = "";

    @BeforeAll
    static void share(SharedCluster shared) {
        cluster = shared;
    }

    @BeforeEach
    void whole() throws Exception {
        cluster.whole();
        mode = cluster.page().state().path("mode").asText();
    }

    @Test
    void aPodOfNobodyComesBackWithItsNameOnItsNode() throws Exception {
        String before = uid("web-1");

        assertThat(restart("pod", "web-1")).isEqualTo("pod web-1 is ready on n1\n");

        assertThat(uid("web-1")).isNotEqualTo(before);
        // The rules of its node follow it a moment later.
        Eventually.isTrue(
                "an answer",
                () -> run("exec", "client-1", "--", "curl", "-s", "-m", "5", "web-n1")
                        .contains("\"pod\":\"web-"));
    }

    @Test
    void aPodThatSomebodyHasKilledComesBackToo() throws Exception {
        run("kubectl", "delete", "pod", "web-3", "--now");
        assertThat(run("kubectl", "get", "pod", "web-3")).contains("NotFound");

        assertThat(restart("pod", "web-3")).isEqualTo("pod web-3 is ready on n2\n");
        assertThat(run("logs", "web-3")).contains("listening on port 8080");
        assertThat(run("exec", "web-3", "--", "hostname")).isEqualTo("web-3\n");
    }

    @Test
    void theOwnerOfAPodMakesAnotherOne() throws Exception {
        String pod = run("kubectl", "-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-dns", "-o", "name")
                .lines()
                .findFirst()
                .orElseThrow()
                .replace("pod", "kube-system");

        assertThat(restart("pod", pod))
                .matches("pod kube-system/coredns-\\S+ is ready on n[12], in place of " + pod + "\n");
    }

    @Test
    void anAgentStartsAnewInItsModeAlsoIfItWasKilled() throws Exception {
        assertThat(restart("agent", "n1")).isEqualTo("the agent of n1 has started and synced (mode " + mode + ")\n");
        cluster.page().post("agent", JSON.createObjectNode().put("node", "n1").put("run", false));
        // The cluster writes its status twice a second.
        Eventually.isTrue(
                () -> run("status"),
                () -> run("status").lines().anyMatch(line -> line.startsWith("n1 ") && line.endsWith("ended")));

        assertThat(restart("agent", "n1")).isEqualTo("the agent of n1 has started and synced (mode " + mode + ")\n");
        Eventually.isTrue(
                "the page knows",
                () -> cluster.page().state().at("/nodes/0/agent").asBoolean());
    }

    @Test
    void aNodeLosesItsPowerAndGetsItBack() throws Exception {
        String done = "n2 has started, and its agent has synced; its Pods start anew\n";
        assertThat(restart("node", "n2")).isEqualTo(done);
        cluster.page().post("node", JSON.createObjectNode().put("node", "n2").put("run", false));
        assertThat(cluster.script().run("restart", "agent", "n2").output())
                .contains("n2 has no power (expected: a node that runs; restart the node instead of its agent)");

        assertThat(restart("node", "n2")).isEqualTo(done);
        Eventually.isTrue("the page knows", () -> {
            JsonNode n2 = cluster.page().state().at("/nodes/1");
            return n2.path("power").asBoolean() && n2.path("agent").asBoolean();
        });
    }

    @Test
    void saysWhatItDoesNotKnow() throws Exception {
        assertThat(refused("pod", "web_1"))
                .contains("POD: \"web_1\" (expected: one of [", "client-1, ", "did you mean web-1?");
        assertThat(refused("node", "n9")).contains("NODE: \"n9\" (expected: one of [n1, n2])");
        assertThat(refused("agent", "web-1")).contains("NODE: \"web-1\" (expected: one of [n1, n2])");
        assertThat(refused("pod")).contains("NAME: missing (expected: the name of the pod after pod)");
        assertThat(refused("web-1")).contains("KIND: web-1 (expected: pod, agent, node)");
    }

    private String restart(String kind, String name) throws Exception {
        NodepathScript.Result result = cluster.script().ask("restart", kind, name);
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    private String refused(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = "restart";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        NodepathScript.Result result = cluster.script().ask(command);
        assertThat(result.exitCode()).as(result.output()).isIn(1, 2);
        return result.output();
    }

    private String uid(String pod) throws Exception {
        return run("kubectl", "get", "pod", pod, "-o", "jsonpath={.metadata.uid}");
    }

    private String run(String... arguments) throws Exception {
        return cluster.script().ask(arguments).output();
    }
}
