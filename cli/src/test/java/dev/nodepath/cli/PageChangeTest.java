package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.Repetitions;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Changes by a reader of the live page in a running cluster, and the events of the time line about them. The tests
 * share a cluster; tests of one mode follow each other, because a switch takes seconds.
 */
@Tag("netns")
@Tag("page")
@ExtendWith(SharedCluster.OfAllClasses.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PageChangeTest {
    private static final int FROM_IPTABLES_TO_USERSPACE = Order.DEFAULT + 1;
    private static final int IN_USERSPACE_MODE = Order.DEFAULT + 2;
    private static final int FROM_USERSPACE_TO_NFTABLES = Order.DEFAULT + 3;
    private static final int IN_NFTABLES_MODE = Order.DEFAULT + 4;
    private static final int FROM_NFTABLES_TO_IPTABLES = Order.DEFAULT + 5;
    private static final int FROM_IPTABLES_TO_NFTABLES = Order.DEFAULT + 6;
    private static final int IN_ANY_MODE = Order.DEFAULT + 7;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path folder;

    private static SharedCluster cluster = SharedCluster.NONE;

    private final List<Process> started = new ArrayList<>();
    private PageClient page = PageClient.NONE;
    /** When the test began to change the cluster, in milliseconds since 1970. */
    private long began;

    @BeforeAll
    static void share(SharedCluster shared) {
        cluster = shared;
    }

    @AfterEach
    void endWhatWasStarted() throws Exception {
        for (Process process : started) {
            process.destroy();
            process.waitFor();
        }
    }

    private void in(String mode) throws Exception {
        cluster.whole(mode);
        begin();
    }

    private void inAnyMode() throws Exception {
        cluster.whole();
        begin();
    }

    private void begin() throws Exception {
        page = cluster.page();
        began = page.state().path("at").asLong();
    }

    /** From the edit over the Service and the watcher's snapshot to the kernel's rules, in the order of time. */
    @Test
    @Order(IN_NFTABLES_MODE)
    void anEditOfAServiceIsFollowedToTheKernel() throws Exception {
        in("nftables");
        String changed = "service Service web: sessionAffinity: ClientIP";

        assertThat(page.send("service", edit("web", "sessionAffinity", "ClientIP"))
                        .statusCode())
                .isEqualTo(200);

        // Steps of the switch before may still come, too.
        String snapshot = "snapshot n1: the watcher has a new snapshot";
        Eventually.isTrue(
                () -> "rules that changed after a snapshot in " + steps(),
                () -> since(snapshot, since(changed, steps())).stream().anyMatch(step -> step.startsWith("diff n1")));
        assertThat(steps()).containsSubsequence("you Service web: set sessionAffinity: ClientIP", changed, snapshot);
        assertThat(page.state().at("/services").toString()).contains("sessionAffinity: ClientIP");
    }

    /**
     * Rules of another mode that a proxy removes after its sync do not appear as an effect of the reader's next
     * action.
     */
    @Test
    @Order(FROM_IPTABLES_TO_USERSPACE)
    void rulesOfAnotherModeAreNotTheNextActionsDoing() throws Exception {
        in("iptables");
        assertThat(page.send("mode", JSON.createObjectNode().put("mode", "userspace"))
                        .statusCode())
                .isEqualTo(200);
        Eventually.isTrue(
                "no rule of iptables mode",
                () -> !cluster.script()
                        .ask("exec", "n1", "--", "iptables-save", "-t", "nat")
                        .output()
                        .contains("-A KUBE-SVC-"));

        page.send("service", edit("web", "ports", "more"));

        String action = "you Service web: set ports: more";
        Eventually.isTrue(
                () -> "a change of rules in " + steps(),
                () -> since(action, steps()).stream().anyMatch(step -> step.startsWith("diff n1")));
        List<String> removed = new ArrayList<>();
        boolean begun = false;
        for (JsonNode step : page.state().path("news")) {
            begun |= step.path("at").asLong() >= began
                    && step.path("what").asText().equals("set ports: more");
            if (begun) {
                step.path("removed").forEach(line -> removed.add(line.asText()));
            }
        }
        assertThat(removed).noneMatch(line -> line.contains("KUBE-SVC-"));
    }

    /** Without endpoints connections are refused; with the selector as before they are served again. */
    @Test
    void aServiceLosesItsPodsAndGetsThemBack() throws Exception {
        in("iptables");

        page.send("service", edit("web", "selector", "nobody"));
        Eventually.isTrue(() -> "a refusal", () -> probe("client-1", "web:80").equals("refused"));
        page.send("service", edit("web", "selector", "pods"));
        Eventually.isTrue(() -> "an answer", () -> probe("client-1", "web:80").equals("answered"));

        page.send("service", edit("web", "ports", "more"));
        Eventually.isTrue(
                () -> "an answer at the new port",
                () -> probe("client-1", "web:81").equals("answered"));
    }

    @Test
    @Order(IN_ANY_MODE)
    void refusesAnEditThatMakesNoSense() throws Exception {
        inAnyMode();

        assertThat(page.send("service", edit("nobody", "selector", "pods")).body())
                .contains("service: \\\"nobody\\\" (expected: a Service of the cluster)");
        assertThat(page.send("service", edit("web", "color", "blue")).body())
                .contains("field: \\\"color\\\" (expected: one of [externalTrafficPolicy,");
        assertThat(page.send("service", edit("web", "internalTrafficPolicy", "blue"))
                        .body())
                .contains("internalTrafficPolicy: \\\"blue\\\" (expected: one of [Cluster, Local])");
        assertThat(page.send("service", edit("web", "ports", "less")).statusCode())
                .isEqualTo(409);
        assertThat(page.send("agent", agent("n9", false)).body())
                .contains("node: \\\"n9\\\" (expected: one of [n1, n2])");
        assertThat(page.send("agent", agent("n1", true)).body()).contains("the agent of n1 runs already");
        assertThat(steps())
                .as("nobody has changed anything")
                .noneMatch(step -> step.startsWith("you ") || step.startsWith("note "));
    }

    /** Every reader of the page sees agents that run or start. */
    @Test
    @Order(FROM_IPTABLES_TO_NFTABLES)
    void noAgentLooksEndedWhileAllSwitchTheirMode() throws Exception {
        in("iptables");
        List<JsonNode> seen = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService reader = Executors.newSingleThreadExecutor();
        Future<?> reading = reader.submit(() -> {
            while (!over.get()) {
                page.state().path("nodes").forEach(seen::add);
            }
            return null;
        });

        HttpResponse<String> answer = page.send("mode", JSON.createObjectNode().put("mode", "nftables"));
        over.set(true);
        reading.get();
        reader.shutdown();

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(seen)
                .isNotEmpty()
                .allMatch(node ->
                        node.path("agent").asBoolean() || node.path("starting").asBoolean());
    }

    /** The kernel goes on with the rules that it has; after the start the agent follows changes again. */
    @Test
    void aKilledAgentLeavesItsRules() throws Exception {
        in("iptables");

        page.send("agent", agent("n1", false));
        Eventually.isTrue(() -> "the agent's end", () -> steps().contains("agent n1: the agent has ended"));
        Eventually.isTrue(
                () -> "n1 without an agent",
                () -> !page.state().at("/nodes/0/agent").asBoolean(true));
        assertThat(probe("client-1", "web:80")).isEqualTo("answered");

        assertThat(page.send("agent", agent("n1", true)).statusCode()).isEqualTo(200);
        page.send("service", edit("web", "selector", "nobody"));
        Eventually.isTrue(() -> "a refusal", () -> probe("client-1", "web:80").equals("refused"));
    }

    /** The relay ends with its agent, and the tracer knows it: it promises a refusal then. */
    @Test
    @Order(IN_USERSPACE_MODE)
    void aKilledAgentInUserspaceModeTakesTheRelayWithIt() throws Exception {
        in("userspace");

        page.send("agent", agent("n1", false));

        JsonNode answer = JSON.readTree(page.send(
                        "probe", JSON.createObjectNode().put("from", "client-1").put("to", "web:80"))
                .body());
        assertThat(answer.at("/observed/kind").asText()).isEqualTo("refused");
        assertThat(answer.path("differences")).as(answer.toString()).isEmpty();
    }

    /** A mode with a relay, and one without. */
    static List<String> modesOfAKilledNode() {
        return Repetitions.areWhole() ? List.of("userspace", "iptables", "nftables") : List.of("userspace", "nftables");
    }

    /**
     * Its Lease expires and its endpoints leave the Service. Until then, and towards the node itself, there are no
     * answers, as the rules promise. When its power is back, its Pods start anew.
     */
    @ParameterizedTest
    @MethodSource("modesOfAKilledNode")
    @Order(FROM_USERSPACE_TO_NFTABLES)
    void aKilledNodeLosesItsEndpointsAndGetsThemBack(String mode) throws Exception {
        in(mode);
        assertThat(answers(24)).contains("web-3").containsAnyOf("web-1", "web-2");

        assertThat(page.send("node", agent("n2", false)).statusCode()).isEqualTo(200);

        JsonNode silent = told("client", "n2:30080");
        assertThat(silent.at("/observed/kind").asText()).isIn("silent", "unreachable");
        assertThat(silent.path("differences")).as(silent.toString()).isEmpty();
        assertThat(told("client-2", "web:80").path("error").asText())
                .isEqualTo("FROM: n2 has no power (expected: a sender that runs)");
        Eventually.isTrue(
                () -> "two endpoints in " + steps(), () -> steps().contains("slice web: EndpointSlice: 2 of 3 ready"));
        Eventually.isTrue(
                () -> "answers of n1 alone, as promised, instead of " + answers(12),
                () -> List.of("web-1", "web-2").containsAll(answers(12)));
        assertThat(steps())
                .containsSubsequence(
                        "you n2: kill the node (it loses its power)",
                        "agent n2: the agent has ended",
                        "node n2: is not ready: Kubelet stopped posting node status.",
                        "pod web-3: is not ready",
                        "slice web: EndpointSlice: 2 of 3 ready");
        assertThat(acts()).contains("kill-node n2");
        assertThat(page.state().at("/nodes/1/power").asBoolean(true)).isFalse();

        HttpResponse<String> start = page.send("node", agent("n2", true));

        assertThat(start.statusCode()).as(start.body()).isEqualTo(200);
        Eventually.isTrue(() -> "answers of both nodes, as promised, instead of " + answers(9), () -> {
            List<String> answers = answers(9);
            return answers.contains("web-3")
                    && List.of("web-1", "web-2", "web-3").containsAll(answers);
        });
        Eventually.isTrue(
                () -> "client-2's answer", () -> probe("client-2", "web:80").equals("answered"));
        Eventually.isTrue(
                () -> "an answer at n2", () -> probe("client", "n2:30080").equals("answered"));
    }

    /** A cluster may lose all of its nodes: a restarted node finds its objects again. */
    @Test
    @Order(FROM_NFTABLES_TO_IPTABLES)
    void theLastNodeMayBeKilledToo() throws Exception {
        in("nftables");

        page.send("node", agent("n1", false));
        page.send("node", agent("n2", false));
        assertThat(probe("client", "n1:30080")).isIn("silent", "unreachable");
        page.send("mode", JSON.createObjectNode().put("mode", "iptables"));

        assertThat(page.send("node", agent("n2", true)).statusCode()).isEqualTo(200);
        Eventually.isTrue(
                () -> "an answer at n2", () -> probe("client", "n2:30080").equals("answered"));
        assertThat(page.state().at("/nodes/1/mode").asText()).isEqualTo("iptables");
    }

    /** The page offers it by the step; a Pod of a Deployment has a successor instead. */
    @Test
    @Order(IN_ANY_MODE)
    void aKilledPodOfNobodyCanBeBroughtBack() throws Exception {
        inAnyMode();
        ObjectNode web3 = JSON.createObjectNode().put("pod", "web-3");

        page.post("kill", web3);
        Eventually.isTrue(() -> "its end in " + steps(), () -> steps().contains("pod web-3: is gone"));
        assertThat(steps()).contains("you web-3: kill the pod (nobody makes it again)");
        assertThat(acts()).contains("kill-lone-pod web-3");

        assertThat(page.post("restart", web3).path("done").asText()).isEqualTo("pod web-3 is ready on n2");
        String owned = page.state().path("pods").findValuesAsText("id").stream()
                .filter(id -> id.startsWith("kube-system/coredns"))
                .findFirst()
                .orElseThrow();
        page.post("kill", JSON.createObjectNode().put("pod", owned));
        assertThat(steps()).contains("you " + owned + ": kill the pod");
        assertThat(acts()).contains("kill-pod " + owned);
    }

    @Test
    @Order(IN_ANY_MODE)
    void refusesAKillOfANodeThatMakesNoSense() throws Exception {
        inAnyMode();

        assertThat(page.send("node", agent("n9", false)).body())
                .contains("node: \\\"n9\\\" (expected: one of [n1, n2])");
        assertThat(page.send("node", agent("n2", true)).body()).contains("n2 runs already");
        assertThat(page.send("node", JSON.createObjectNode().put("node", "n2")).body())
                .contains("run:  (expected: true or false)");
        assertThat(page.send("node", agent("n2", false)).statusCode()).isEqualTo(200);
        assertThat(page.send("node", agent("n2", false)).body()).contains("n2 has no power already");
        for (String action : List.of("agent", "mode")) {
            assertThat(page.send(action, agent("n2", true).put("mode", "nftables"))
                            .body())
                    .contains("n2 has no power (expected: a node that runs; start it first)");
        }
        assertThat(page.send(
                                "ready",
                                JSON.createObjectNode()
                                        .put("pod", "default/web-3")
                                        .put("ready", false))
                        .statusCode())
                .isEqualTo(409);
        assertThat(page.send("compare", compare("web:80", "iptables", "nftables"))
                        .body())
                .contains("n2 has no power");
    }

    /** The answering Pod of each of so many probes from a pod of n1, or the difference from the promise. */
    private List<String> answers(int count) throws Exception {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            JsonNode answer = told("client-1", "web:80");
            answers.add(
                    answer.path("differences").isEmpty()
                            ? answer.at("/observed/by").asText()
                            : answer.path("differences").toString());
        }
        return answers;
    }

    /** The kernel's connection tracking has its translation, whatever rules the node gets. */
    @Test
    void anOpenConnectionLivesThroughTheSwitchesOfOneNode() throws Exception {
        in("iptables");
        Path ofPod = folder.resolve("pod.txt");
        Path ofOutside = folder.resolve("outside.txt");
        Process fromPod =
                cluster.script().start(ofPod, "exec", "client-1", "--", "bash", "-c", askAgainAndAgain("web", 80));
        Process fromOutside = cluster.script()
                .start(ofOutside, "exec", "client", "--", "bash", "-c", askAgainAndAgain("172.30.0.11", 30080));
        started.addAll(List.of(fromPod, fromOutside));
        for (Path answers : List.of(ofPod, ofOutside)) {
            awaitMore(answers, 0);
        }

        for (String mode : List.of("nftables", "userspace", "iptables")) {
            HttpResponse<String> response =
                    page.send("mode", JSON.createObjectNode().put("mode", mode).put("node", "n1"));
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(page.state().path("nodes").findValuesAsText("mode")).containsExactly(mode, "iptables");
            for (Path answers : List.of(ofPod, ofOutside)) {
                awaitMore(answers, Files.readAllLines(answers).size());
            }
        }

        assertThat(fromPod.isAlive() && fromOutside.isAlive()).isTrue();
        for (Path answers : List.of(ofPod, ofOutside)) {
            assertThat(Files.readAllLines(answers).stream().distinct())
                    .as("one connection, so one pod and one source")
                    .hasSize(1);
        }
    }

    /** A shell's requests over one connection; each answer is a line. It ends with the connection. */
    private static String askAgainAndAgain(String host, int port) {
        return "exec 3<>/dev/tcp/" + host + "/" + port
                + "; while sleep 0.1; do printf 'GET / HTTP/1.1\\r\\nHost: web\\r\\n\\r\\n' >&3;"
                + " while read -r line <&3 || exit 1; do line=${line%$'\\r'}; [ -n \"$line\" ] || break;"
                + " case ${line,,} in content-length:*) length=${line##* } ;; esac; done;"
                + " read -r -N \"$length\" body <&3 || exit 1; printf %s \"$body\"; done";
    }

    private static void awaitMore(Path answers, int before) {
        Eventually.isTrue(
                () -> "more than " + before + " answers in " + Files.readString(answers),
                () -> Files.readAllLines(answers).size() > before + 2);
    }

    /** Each mode has its answering Pod and 200 latencies; afterwards each node has its former mode. */
    @Test
    @Order(IN_ANY_MODE)
    void comparesTwoModesAndGivesEachNodeItsModeBack() throws Exception {
        in("nftables");
        page.send("mode", JSON.createObjectNode().put("mode", "iptables").put("node", "n1"));

        HttpResponse<String> response = page.send("compare", compare("web:80", "iptables", "userspace"));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonNode modes = JSON.readTree(response.body()).path("modes");
        assertThat(modes).hasSize(2).allSatisfy(mode -> {
            assertThat(mode.path("micros")).hasSize(200);
            assertThat(mode.path("failed").asInt()).isZero();
            assertThat(mode.at("/probe/differences")).isEmpty();
        });
        assertThat(modes.at("/0/probe/observed/seen").asText())
                .isEqualTo(modes.at("/0/probe/source").asText());
        assertThat(modes.at("/1/probe/observed/seen").asText())
                .isNotEqualTo(modes.at("/1/probe/source").asText());
        assertThat(modes.at("/1/mode").asText()).isEqualTo("userspace");
        Eventually.isTrue(
                () -> "the modes from before",
                () -> page.state().path("nodes").findValuesAsText("mode").equals(List.of("iptables", "nftables")));
        assertThat(steps())
                .containsSubsequence(
                        "you every node: compare iptables and userspace",
                        "compare comparison: 100 probes in iptables mode, round 1 of 2",
                        "compare comparison: switch n2 back to nftables mode");
    }

    @Test
    @Order(IN_ANY_MODE)
    void refusesAComparisonThatMakesNoSenseAndChangesNothing() throws Exception {
        inAnyMode();
        String mode = page.state().path("mode").asText();

        assertThat(page.send("compare", compare("web:80", "iptables", "iptables"))
                        .body())
                .contains("(expected: two different ones)");
        assertThat(page.send("compare", compare("nothing:80", "iptables", "nftables"))
                        .body())
                .contains("no Service, Pod or node has this name");
        assertThat(page.state().path("mode").asText()).isEqualTo(mode);
        assertThat(steps()).noneMatch(step -> step.startsWith("compare"));
    }

    private static ObjectNode compare(String to, String one, String other) {
        ObjectNode what = JSON.createObjectNode().put("from", "client-1").put("to", to);
        what.putArray("modes").add(one).add(other);
        return what;
    }

    private static ObjectNode edit(String service, String field, String value) {
        return JSON.createObjectNode()
                .put("service", service)
                .put("field", field)
                .put("value", value);
    }

    private static ObjectNode agent(String node, boolean run) {
        return JSON.createObjectNode().put("node", node).put("run", run);
    }

    /** Layer, place and text of each step of this test, the oldest first. */
    private List<String> steps() throws Exception {
        return news().map(step -> step.path("layer").asText() + " "
                        + step.path("where").asText() + ": " + step.path("what").asText())
                .toList();
    }

    /** What each step of this test's reader does, and where, the oldest first. */
    private List<String> acts() throws Exception {
        return news().filter(step -> step.has("act"))
                .map(step ->
                        step.path("act").asText() + " " + step.path("where").asText())
                .toList();
    }

    private Stream<JsonNode> news() throws Exception {
        return page.state()
                .path("news")
                .valueStream()
                .filter(step -> step.path("at").asLong() >= began);
    }

    /** The steps from the first such step on; none without one. */
    private static List<String> since(String step, List<String> steps) {
        int first = steps.indexOf(step);
        return first < 0 ? List.of() : steps.subList(first, steps.size());
    }

    private String probe(String from, String to) throws Exception {
        return told(from, to).at("/observed/kind").asText();
    }

    private JsonNode told(String from, String to) throws Exception {
        return JSON.readTree(
                page.send("probe", JSON.createObjectNode().put("from", from).put("to", to))
                        .body());
    }
}
