package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.nodepath.linux.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The page's events about real traffic, for a program that follows them. */
@Tag("netns")
@Tag("page")
@ExtendWith(SharedCluster.OfAllClasses.class)
@Timeout(900)
class PageRatesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Where an edge of the picture begins to be busy. */
    private static final int BUSY_BYTES = 125;

    @TempDir
    private static Path folder;

    private static SharedCluster cluster = SharedCluster.NONE;

    private final NodepathScript nodepath = cluster.script();
    private final PageClient page = cluster.page();

    @BeforeAll
    static void share(SharedCluster shared) {
        cluster = shared;
    }

    /** In userspace mode the relay refuses, and links carry no refused packet. */
    @BeforeEach
    void prepare() throws Exception {
        cluster.whole("nftables");
    }

    @AfterEach
    void removeThePod() throws Exception {
        nodepath.ask("kubectl", "delete", "pod", "again", "--now", "--ignore-not-found");
    }

    @Test
    void trafficMakesTheEdgesOfThePodsOnItsWayBusyAndNoOthers() throws Exception {
        String web = service("web");
        Process sender = nodepath.start(
                folder.resolve("sender.txt"),
                "exec",
                "client-1",
                "--",
                "bash",
                "-c",
                "exec 3<>/dev/tcp/" + web + "/80; cat <&3 >/dev/null &"
                        + " while printf 'GET / HTTP/1.1\\r\\nHost: web\\r\\n\\r\\n' >&3; do sleep 0.02; done");
        try (InputStream events = page.events()) {
            Rates rates = new Rates(events);
            String server = server();
            Set<String> onTheWay = Set.of("pod:client-1", "pod:" + server);
            JsonNode busy = rates.await(each -> busyPods(each).equals(onTheWay));

            assertThat(busy.at("/pod:client-1/1").asLong())
                    .as("what client-1 sends in bytes, and its server receives")
                    .isCloseTo(busy.path("pod:" + server).path(0).asLong(), withPercentage(50));
            assertThat(busy.at("/pod:client-1/2").asLong()).as("packets").isPositive();

            sender.descendants().forEach(ProcessHandle::destroy);
            sender.destroy();
            JsonNode idle = rates.await(each -> busyPods(each).isEmpty());
            assertThat(idle.has("pod:" + server)).isTrue();
        } finally {
            sender.destroy();
        }
    }

    @Test
    void flowsShowWhatNetworkPoliciesRefuse() throws Exception {
        Path policy = Files.writeString(folder.resolve("deny-all.yaml"), """
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicy
                metadata: {name: deny-all}
                spec: {podSelector: {}}
                """);
        assertThat(nodepath.ask("kubectl", "apply", "-f", policy.toString()).exitCode())
                .isZero();
        try {
            Eventually.isTrue("a refused attempt", () -> {
                nodepath.ask("exec", "client-1", "--", "curl", "-s", "-m", "1", "web");
                for (JsonNode flow : page.get("flows").path("flows")) {
                    if (flow.path("state").asText().equals("REFUSED")) {
                        assertThat(flow.at("/from/name").asText()).isEqualTo("client-1");
                        assertThat(flow.at("/to/name").asText()).endsWith(":8080");
                        assertThat(flow.path("packets").asInt()).isPositive();
                        return true;
                    }
                }
                return false;
            });
        } finally {
            nodepath.ask("kubectl", "delete", "networkpolicy", "--all");
        }
    }

    /** A Pod with an old name has another link, whose counters begin at 0. */
    @Test
    void everyPartHasARateAlsoAfterAPodWasReplaced() throws Exception {
        apply();
        try (InputStream events = page.events()) {
            Set<String> parts = parts();
            assertThat(parts).contains("client:client", "node:n1", "node:n2", "pod:client-1", "pod:again");
            new Rates(events).await(each -> names(each).equals(parts));

            assertThat(nodepath.ask("kubectl", "delete", "pod", "again", "--now")
                            .exitCode())
                    .isZero();
            apply();

            // The first stream stays, so the readings have gone on all the time.
            try (InputStream later = page.events()) {
                JsonNode after = new Rates(later).await(each -> names(each).equals(parts));
                after.forEach(rate ->
                        rate.forEach(number -> assertThat(number.asLong()).isNotNegative()));
            }
        }
    }

    /** Makes the Pod, and waits until it is ready on the page. */
    private void apply() throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("again.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: again}
                spec:
                  nodeName: n1
                  containers:
                    - name: server
                      image: nodepath/whoami
                """);
        assertThat(nodepath.ask("kubectl", "apply", "-f", file.toString()).exitCode())
                .isZero();
        Eventually.isTrue("a ready Pod", () -> pod("again").path("ready").asBoolean());
    }

    /** The rates of one stream of events, one after the other. */
    private static final class Rates {
        private final Iterator<String> lines;

        Rates(InputStream events) {
            lines = new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8))
                    .lines()
                    .iterator();
        }

        /** The next that are so; the others in between are passed over. */
        JsonNode await(Predicate<JsonNode> wanted) throws IOException {
            long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
            JsonNode last = MissingNode.getInstance();
            while (System.nanoTime() < deadline && lines.hasNext()) {
                if (lines.next().equals("event: rates")) {
                    last = JSON.readTree(lines.next().substring("data: ".length()))
                            .path("rates");
                    if (wanted.test(last)) {
                        return last;
                    }
                }
            }
            throw new AssertionError("not in 2 minutes; the last rates: " + last);
        }
    }

    private static Set<String> busyPods(JsonNode rates) {
        Set<String> busy = new TreeSet<>();
        rates.properties().forEach(part -> {
            boolean moves = Math.max(
                            part.getValue().path(0).asLong(),
                            part.getValue().path(1).asLong())
                    >= BUSY_BYTES;
            if (moves && part.getKey().startsWith("pod:")) {
                busy.add(part.getKey());
            }
        });
        return busy;
    }

    private static Set<String> names(JsonNode rates) {
        Set<String> names = new TreeSet<>();
        rates.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The parts that the page shows with a link of their own. */
    private Set<String> parts() {
        try {
            JsonNode state = page.state();
            Set<String> parts = new TreeSet<>(Set.of("client:client"));
            state.path("nodes")
                    .forEach(node -> parts.add("node:" + node.path("id").asText()));
            state.path("pods").forEach(pod -> {
                if (!pod.path("host").asBoolean() && !pod.path("addresses").isEmpty()) {
                    parts.add("pod:" + pod.path("id").asText());
                }
            });
            return parts;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private JsonNode pod(String id) throws IOException, InterruptedException {
        for (JsonNode pod : page.state().path("pods")) {
            if (pod.path("id").asText().equals(id)) {
                return pod;
            }
        }
        return MissingNode.getInstance();
    }

    private String service(String id) throws IOException, InterruptedException {
        for (JsonNode service : page.state().path("services")) {
            if (service.path("id").asText().equals(id)) {
                return service.at("/addresses/0").asText();
            }
        }
        throw new IOException("no Service " + id);
    }

    /** The server of client-1, from the nodes' connection tracking. */
    private String server() {
        StringBuilder found = new StringBuilder();
        Eventually.isTrue("a flow of client-1 to web", () -> {
            found.setLength(0);
            page.get("flows").path("flows").forEach(flow -> {
                if (flow.at("/from/name").asText().equals("client-1")
                        && flow.path("service").asText().equals("web")
                        && flow.path("state").asText().equals("ESTABLISHED")) {
                    found.append(flow.at("/end/name").asText());
                }
            });
            return found.length() > 0;
        });
        return found.toString();
    }
}
