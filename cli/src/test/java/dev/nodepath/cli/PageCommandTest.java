package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.page.Recording;
import dev.nodepath.page.RecordingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The live page of a running cluster, for a program. Tests of one mode follow each other. */
@Tag("netns")
@Tag("page")
@ParameterizedClass
@ValueSource(strings = {"iptables", "nftables", "userspace"})
@ExtendWith(SharedCluster.OfAllClasses.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PageCommandTest {
    private static final int PROBES = Repetitions.of(40, 200);
    private static final int PROBES_OF_MIXED_MODES = Repetitions.of(20, 60);
    private static final ObjectMapper JSON = new ObjectMapper();
    /** After the tests without an order. */
    private static final int LATE = Order.DEFAULT + 1;
    /** It leaves a node in the next mode. */
    private static final int LAST = LATE + 1;

    /** Changes of n1's rules by another program, and the words of a probe about them, by the mode. */
    private static final Map<String, List<Meddling>> MEDDLINGS = Map.of(
            "iptables",
            List.of(
                    new Meddling(
                            "iptables -t nat -I KUBE-SERVICES -m comment --comment added",
                            "KUBE-SERVICES: -m comment --comment added"),
                    new Meddling("iptables -t nat -D KUBE-POSTROUTING 1", "Promised: KUBE-POSTROUTING: -m mark")),
            "nftables",
            List.of(
                    new Meddling(
                            "nft insert rule ip kube-proxy services counter comment added",
                            "The kernel took: services: counter"),
                    new Meddling("nft flush chain ip kube-proxy services", "Promised: services:")),
            "userspace",
            List.of(new Meddling(
                    "nft flush chain ip nodepath-portals portals-prerouting", "The kernel took no rule that does it")));

    private static final List<String> CLOSED = List.of(
            "n1:80",
            "n2:80",
            "n2:80/udp",
            "web-1:81",
            "web-3:81",
            "web-3:81/udp",
            "shut:80",
            "n2:30990",
            "shut:80/udp",
            "n2:30990/udp");

    private record Meddling(String command, String told) {}

    @TempDir
    private static Path folder;

    private static SharedCluster cluster = SharedCluster.NONE;

    @Parameter
    private String mode = "";

    private PageClient page = PageClient.NONE;

    @BeforeAll
    static void share(SharedCluster shared) {
        cluster = shared;
    }

    @BeforeEach
    void prepare() throws IOException, InterruptedException {
        cluster.whole(mode);
        page = cluster.page();
    }

    /**
     * Every answer, every source that a pod sees, every conntrack entry, every packet on a link and every rule that
     * the kernel says it took is as the tracer promises; and the kernel has named each rule of the tracer.
     */
    @Test
    void probesAgreeWithTheRules() throws Exception {
        JsonNode state = page.state();
        assertThat(state.path("mode").asText()).isEqualTo(mode);
        assertThat(state.at("/nodes/0/sync/ok").asBoolean()).isTrue();
        assertProbesAgree(state, PROBES);
    }

    /** The same if the nodes run different modes, which every command must know. */
    @Test
    @Order(LAST)
    void probesAgreeWithTheRulesOfEachNode() throws Exception {
        String other = mode.equals("iptables") ? "nftables" : mode.equals("nftables") ? "userspace" : "iptables";
        page.post("mode", JSON.createObjectNode().put("mode", other).put("node", "n2"));
        Eventually.isTrue(
                "n2 in " + other + " mode",
                () -> page.state().at("/nodes/1/mode").asText().equals(other));
        JsonNode state = page.state();
        assertThat(state.path("mode").asText()).isEqualTo("mixed");
        assertThat(state.at("/nodes/0/mode").asText()).isEqualTo(mode);
        assertThat(cluster.script().ask("trace", "client", "n2:30080").output()).contains("mode " + other);

        assertProbesAgree(state, PROBES_OF_MIXED_MODES);
    }

    private void assertProbesAgree(JsonNode state, int probes) throws Exception {
        List<String> senders = ids(state.path("pods"));
        senders.addAll(ids(state.path("nodes")));
        senders.add("client");
        List<String> targets = targets(state);
        long seed = System.nanoTime();
        Random random = new Random(seed);

        List<String> differences = new ArrayList<>();
        int confirmed = 0;
        int carried = 0;
        for (int i = 0; i < probes; i++) {
            String from = senders.get(random.nextInt(senders.size()));
            String to = targets.get(random.nextInt(targets.size()));
            JsonNode answer =
                    page.post("probe", JSON.createObjectNode().put("from", from).put("to", to));
            assertThat(answer.path("steps")).as(answer.toString()).isNotEmpty();
            answer.path("differences").forEach(each -> differences.add(from + " to " + to + ": " + each.asText()));
            if (!answer.path("differences").isEmpty()) {
                System.out.println(from + " to " + to + ": " + answer.path("observed"));
            }
            answer.at("/observed/notes").forEach(each -> differences.add(each.asText()));
            confirmed += Math.toIntExact(answer.findValues("kernel").stream()
                    .filter(each -> each.isBoolean() && each.asBoolean())
                    .count());
            carried += Math.toIntExact(answer.path("steps").findValuesAsText("wire").stream()
                    .filter(each -> !each.isEmpty())
                    .count());
        }

        System.out.printf(
                "%s: seed %d, %d steps confirmed by kernels, %d by links%n",
                state.path("mode").asText(), seed, confirmed, carried);
        assertThat(differences).as("seed " + seed).isEmpty();
        assertThat(confirmed).as("steps that the kernel has named").isGreaterThan(probes / 4);
        assertThat(carried).as("steps that links have carried").isGreaterThan(probes);
    }

    /** A rule that another program adds to a table of the proxy, or removes from it, is shown with its text. */
    @Test
    @Order(LATE)
    void tellsOfARuleThatIsNotTheProxys() throws Exception {
        assertThat(MEDDLINGS).containsKey(mode);
        for (Meddling each : MEDDLINGS.getOrDefault(mode, List.of())) {
            assertThat(probe("client-1", "web:80").path("differences")).isEmpty();
            List<String> run = new ArrayList<>(List.of("exec", "n1", "--"));
            run.addAll(List.of(each.command().split(" ")));

            // The proxy mends its tables by and by.
            List<String> differences = new ArrayList<>();
            Eventually.isTrue(() -> each + " in " + differences, () -> {
                cluster.script().ask(run.toArray(String[]::new));
                probe("client-1", "web:80").path("differences").forEach(told -> differences.add(told.asText()));
                return differences.stream().anyMatch(told -> told.contains(each.told()));
            });

            // A proxy that starts does so at once.
            page.post("mode", JSON.createObjectNode().put("mode", mode).put("node", "n1"));
        }
    }

    /** The proxies follow a change up to a second later: a probe that was sent meanwhile is sent again. */
    @Test
    void probesAgreeRightAfterAChange() throws Exception {
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            page.post("ready", JSON.createObjectNode().put("pod", "web-1").put("ready", i % 2 == 1));
            probe("client-1", "web:80").path("differences").forEach(each -> differences.add(each.asText()));
        }

        assertThat(differences).isEmpty();
    }

    /** Other packets look like those of the probe, and in userspace mode so do their second legs. */
    @Test
    void probesAgreeWhileOthersAskTheSameService() throws Exception {
        Path answers = folder.resolve("others-" + mode + ".txt");
        Process others = cluster.script()
                .start(
                        answers,
                        "exec",
                        "client-1",
                        "--",
                        "sh",
                        "-c",
                        "for i in $(seq 3000); do curl -s -m 1 10.96.0.20 || sleep 0.1; done");
        List<String> differences = new ArrayList<>();
        try {
            Eventually.isTrue("traffic", () -> Files.readString(answers).contains("web-"));
            for (int i = 0; i < 30; i++) {
                probe("client-1", "web:80").path("differences").forEach(each -> differences.add(each.asText()));
            }
            assertThat(others.isAlive()).as("others go on").isTrue();
        } finally {
            others.destroy();
            others.waitFor();
        }

        assertThat(differences).isEmpty();
    }

    private JsonNode probe(String from, String to) throws IOException, InterruptedException {
        return page.post("probe", JSON.createObjectNode().put("from", from).put("to", to));
    }

    /** The pods of web-n1 are on n1 alone. */
    @Test
    void aNodeWithoutAnEndpointOfItsOwnAnswersAsPromised() throws Exception {
        page.post(
                "service",
                JSON.createObjectNode()
                        .put("service", "web-n1")
                        .put("field", "externalTrafficPolicy")
                        .put("value", "Local"));

        String expected = mode.equals("userspace") ? "closed" : "silent";
        List<JsonNode> answers = new ArrayList<>();
        Eventually.isTrue(() -> expected + ": " + answers, () -> {
            answers.add(0, probe("client", "n2:30180"));
            return answers.get(0).at("/observed/kind").asText().equals(expected);
        });
        assertThat(answers.get(0).path("differences")).isEmpty();
        if (mode.equals("userspace")) {
            assertThat(answers.get(0).path("steps").findValuesAsText("what"))
                    .last()
                    .asString()
                    .contains("has no endpoint for this client");
        }
    }

    /** Without a listener a node or a pod refuses the packet, and no kernel tracks a refused one. */
    @Test
    void aClosedPortIsRefusedAsPromised() throws Exception {
        Path manifest = folder.resolve("shut.yaml");
        Files.writeString(manifest, """
                apiVersion: v1
                kind: Service
                metadata: {name: shut}
                spec:
                  type: NodePort
                  selector: {app: web}
                  ports:
                  - {name: tcp, port: 80, targetPort: 81, nodePort: 30990}
                  - {name: udp, port: 80, targetPort: 81, nodePort: 30990, protocol: UDP}
                """);
        List<String> differences = new ArrayList<>();
        cluster.script().ask("kubectl", "apply", "-f", manifest.toString());
        try {
            for (String to : CLOSED) {
                for (String from : List.of("client-1", "n1", "client")) {
                    JsonNode answer = probe(from, to);
                    answer.path("differences").forEach(each -> differences.add(from + " to " + to + ": " + each));
                }
            }
        } finally {
            cluster.script().ask("kubectl", "delete", "-f", manifest.toString());
        }
        assertThat(differences).isEmpty();

        JsonNode answer = probe("client-1", "n2:80");
        assertThat(answer.at("/observed/kind").asText()).isEqualTo("refused");
        assertThat(answer.at("/observed/wire").findValuesAsText("packet"))
                .as("what the node has made of it")
                .anyMatch(packet -> packet.endsWith(" \u2192 172.30.0.12:80") && packet.startsWith("172.30.0.11:"));
    }

    /** A connection through a Service, as the nodes' kernels track it. */
    @Test
    void showsWhoTalksToWhom() throws Exception {
        page.get("flows"); // counting has begun
        JsonNode answer = probe("client-1", "web:80");
        String source = answer.path("source").asText() + ":"
                + answer.at("/observed/localPort").asText();
        String end = answer.at("/observed/conntrack/0/reply").asText().split(" ", -1)[0];
        List<JsonNode> found = new ArrayList<>();
        // An answer may be as old as the previous one.
        Eventually.isTrue(source + " among the flows", () -> {
            found.clear();
            page.get("flows").path("flows").forEach(flow -> {
                // The kernel also tracks earlier uses of the same port: by other probes, by the load of a comparison.
                if (flow.at("/from/address").asText().equals(source)
                        && flow.path("service").asText().equals("web")
                        && flow.at("/end/address").asText().equals(end)) {
                    found.add(flow);
                }
            });
            return !found.isEmpty();
        });

        assertThat(found).singleElement().satisfies(flow -> {
            assertThat(flow.at("/from/name").asText()).isEqualTo("client-1");
            assertThat(flow.at("/to/name").asText()).isEqualTo("web:80");
            assertThat(flow.path("service").asText()).isEqualTo("web");
            assertThat(flow.path("state").asText()).isNotEmpty();
            assertThat(flow.path("packets").asLong()).isGreaterThan(5);
            assertThat(flow.path("bytes").asLong()).isGreaterThan(300);
            boolean relayed = mode.equals("userspace");
            assertThat(flow.at("/end/name").asText())
                    .isEqualTo(
                            relayed
                                    ? "the relay on n1"
                                    : answer.at("/observed/by").asText());
            assertThat(flow.path("endpoint").asText()).isEqualTo(relayed ? "" : "ready");
        });
    }

    /** Events of this class are shown again from the file alone, on a machine without the cluster. */
    @Test
    void replaysARecordingOfAClusterThatIsGone() throws Exception {
        JsonNode answer = probe("client-1", "web:80");
        Path file = Files.writeString(folder.resolve("recording.jsonl"), page.text("record"));

        Recording recording = RecordingReader.read(file);
        assertThat(ids(JSON.readTree(recording.state()).path("pods"))).contains("client-1");
        assertThat(recording.events())
                .filteredOn(each -> each.event().kind().equals("probe"))
                .last()
                .satisfies(
                        each -> assertThat(JSON.readTree(each.event().json())).isEqualTo(answer));
        Path output = folder.resolve("replay.txt");
        Process replay = new NodepathScript(folder).elsewhere().start(output, "page", "--replay", file.toString());
        try {
            Eventually.isTrue("an address", () -> Files.readString(output).endsWith("\n"));
            PageClient replayed = PageClient.printed(Files.readString(output));
            assertThat(replayed.html()).contains("data-replay");
            assertThat(replayed.text("record")).isEqualTo(Files.readString(file));
        } finally {
            replay.destroy();
        }
        assertThat(replay.waitFor()).isEqualTo(143);
    }

    private static List<String> ids(JsonNode parts) {
        List<String> ids = new ArrayList<>();
        parts.forEach(part -> ids.add(part.path("id").asText()));
        return ids;
    }

    private static List<String> targets(JsonNode state) {
        List<String> targets = new ArrayList<>();
        for (JsonNode service : state.path("services")) {
            for (JsonNode port : service.path("ports")) {
                String protocol = port.path("protocol").asText().equals("UDP") ? "/udp" : "";
                targets.add(
                        service.path("id").asText() + ":" + port.path("port").asText() + protocol);
                if (port.path("nodePort").asInt() > 0) {
                    targets.add("n1:" + port.path("nodePort").asText());
                    targets.add("n2:" + port.path("nodePort").asText());
                }
            }
        }
        state.path("pods")
                .forEach(pod -> pod.path("ports")
                        .forEach(port -> targets.add(pod.path("id").asText() + ":" + port.asText())));
        return targets;
    }
}
