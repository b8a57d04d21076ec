package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.Repetitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The clusters of {@code docs/topologies}, started like by a user. The tests of a topology share one cluster, one
 * after the other.
 */
@Tag("netns")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TopologiesTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Path TOPOLOGIES = Path.of(System.getProperty("nodepath.home"), "docs", "topologies");
    private static final Pattern NAME = Pattern.compile("metadata: \\{name: ([^,}]+)");

    @TempDir
    private static Path folder;

    private static NodepathScript nodepath = new NodepathScript(Path.of("/"));
    private static SharedCluster twoNetworks = SharedCluster.NONE;

    @BeforeAll
    static void prepare() {
        nodepath = new NodepathScript(folder);
    }

    @AfterAll
    static void down() throws IOException, InterruptedException {
        twoNetworks = SharedCluster.NONE;
        nodepath.run("down");
        assertThat(NodepathScript.clusterProcesses()).isEmpty();
    }

    /** Two networks with a router between them, unless they are up. */
    private static SharedCluster twoNetworks() throws IOException, InterruptedException {
        if (twoNetworks.equals(SharedCluster.NONE)) {
            String topology = TOPOLOGIES.resolve("two-networks.yaml").toString();
            twoNetworks = SharedCluster.up(folder, "--mode=userspace", "--keep-client-address", topology);
        }
        return twoNetworks;
    }

    private String inside(String where, String script) throws IOException, InterruptedException {
        return nodepath.ask("exec", where, "--", "bash", "-c", script).output();
    }

    private static void await(String what, Callable<Boolean> condition) {
        Eventually.isTrue(LIMIT, () -> what, condition);
    }

    /** Every pod's addresses, from the status. */
    private List<String> podAddresses() throws IOException, InterruptedException {
        List<String> addresses = new ArrayList<>();
        JsonNode status =
                new ObjectMapper().readTree(nodepath.ask("status", "-o", "json").output());
        for (JsonNode pod : status.path("pods")) {
            if (!pod.path("namespace").asText().equals("default")) {
                continue;
            }
            for (String address : pod.path("addresses").asText().split(", ", -1)) {
                addresses.add(address.contains(":") ? "[" + address + "]" : address);
            }
        }
        return addresses;
    }

    /** The addresses among these that do not answer to a pod or node. */
    private String unreachable(String from, List<String> addresses) throws IOException, InterruptedException {
        return inside(from, curl(addresses) + " | grep -v '^200 ' || true");
    }

    /** One process for all: two thousand would take longer to start than to be answered. */
    private static String curl(List<String> addresses) {
        return addresses.stream()
                .map(each -> "-o /dev/null 'http://" + each + ":8080/'")
                .collect(Collectors.joining(
                        " ", "curl -s -g --connect-timeout 20 -m 60 -w '%{http_code} %{url_effective}\n' ", ""));
    }

    /**
     * Has several pods ask all these addresses, side by side.
     *
     * @return a line for each pod, with how many answered, and one for each answer that did not come
     */
    private List<String> answered(List<String> from, List<String> addresses) throws IOException, InterruptedException {
        String each = "/run/nodepath/places/pods/default/$pod/_first " + curl(addresses) + " | awk -v pod=$pod"
                + " '$1 == 200 { answered++; next } { print pod, $0 } END { print pod, answered }'";
        String all = "for pod in " + String.join(" ", from) + "; do " + each + " & done; wait";
        return inside("n1", all).lines().toList();
    }

    /** Each answer has the way and the source that the trace has told. */
    @Test
    @Order(1)
    void tracesFollowTheOverlayInBothFamilies() throws IOException, InterruptedException {
        SharedCluster cluster = twoNetworks();
        TracedRequests requests = new TracedRequests(nodepath);
        NodepathScript.Result unknown = nodepath.ask("trace", "nobody", "web:80");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.output())
                .contains("FROM: \"nobody\" (expected: one of [")
                .hasLineCount(1);
        for (String mode : List.of("userspace", "nftables")) {
            cluster.whole(mode);
            requests.check("n1", "web:80", "10.96.0.20");
            requests.check("web-3", "web:80", "10.96.0.20");
            requests.check("n1", "[fd96::20]:80", "http://[fd96::20]");
            requests.check("web-3", "n1:30080", "172.30.0.11:30080");
            requests.check("n1", "web-3:http", requests.address("web-3") + ":8080");
        }
    }

    /** By the kernel's rules, so that no relay answers for a lost node. */
    @Test
    @Order(2)
    void packetsCrossARouterInBothFamiliesAndLostNodesAreLeftOut() throws IOException, InterruptedException {
        twoNetworks().whole("nftables");
        List<String> pods = podAddresses();
        assertThat(pods).hasSize(6);
        for (String from : List.of("web-1", "web-2", "web-3", "n1", "n3")) {
            await("all answer to " + from, () -> unreachable(from, pods).isEmpty());
        }
        assertThat(inside("n1", "ip route show proto 110"))
                .contains("10.244.2.0/24 via 172.30.0.12 dev eth0", "10.244.3.0/24 via 10.244.3.0 dev nodepath-vxlan");
        String services = "for i in {1..40}; do curl -s --connect-timeout 5 -m 20 http://10.96.0.20/"
                + " 'http://[fd96::20]/' || echo failed; done";
        assertThat(inside("web-1", services))
                .contains("web-1", "web-2", "web-3")
                .doesNotContain("failed");

        assertThat(inside("n3", "ip link set eth0 down")).isEmpty();
        await("n3 is lost", () -> nodepath.ask("status").output().contains("NotReady"));
        await("its pod is left out", () -> {
            String answers = inside("web-1", services);
            return !answers.contains("web-3") && !answers.contains("failed");
        });
        assertThat(inside("web-1", services)).contains("web-1", "web-2").doesNotContain("web-3", "failed");

        inside(
                "n3",
                "ip link set eth0 up; ip route add default via 172.31.0.253; ip -6 route add default via fd31::fd");
        await("n3 is back", () -> !nodepath.ask("status").output().contains("NotReady"));
        await("its pod is used again", () -> inside("web-1", services).contains("web-3"));
        await("all answer to web-1", () -> unreachable("web-1", pods).isEmpty());
    }

    @Test
    @Order(4)
    void tenNodesOfTwentyPodsReachEachOther() throws IOException, InterruptedException {
        long start = System.nanoTime();
        List<Integer> nodes = Repetitions.areWhole()
                ? IntStream.rangeClosed(1, 10).boxed().toList()
                : List.of(1, 2, 6, 7); // two on each side of the router
        int podsOfEach = Repetitions.of(5, 20);
        down();
        NodepathScript.up(folder, partOfTenNodes(nodes, podsOfEach).toString());
        List<String> pods = podAddresses();
        assertThat(pods).hasSize(nodes.size() * podsOfEach);
        List<String> ofEachNode = oneOfEachNode();
        assertThat(ofEachNode).hasSameSizeAs(nodes);
        assertThat(answered(ofEachNode, pods))
                .containsExactlyInAnyOrderElementsOf(
                        ofEachNode.stream().map(pod -> pod + " " + pods.size()).toList());
        System.out.println("up and all reachable after "
                + Duration.ofNanos(System.nanoTime() - start).toMillis() + " ms");
    }

    /** The file with only these nodes, and this many pods for each. */
    private Path partOfTenNodes(List<Integer> nodes, int podsOfEach) throws IOException {
        Set<String> names = new HashSet<>(Set.of("web"));
        nodes.forEach(node -> names.add("n" + node));
        String whole = Files.readString(TOPOLOGIES.resolve("ten-nodes.yaml"));
        String part = Stream.of(whole.split("(?m)^---\\n", -1))
                .filter(document -> NAME.matcher(document).results().anyMatch(name -> names.contains(name.group(1))))
                .collect(Collectors.joining("---\n"));
        return Files.writeString(
                folder.resolve("part-of-ten-nodes.yaml"),
                part.replace("replicas: 200", "replicas: " + nodes.size() * podsOfEach));
    }

    /** The name of one pod of each node. */
    private List<String> oneOfEachNode() throws IOException, InterruptedException {
        JsonNode status =
                new ObjectMapper().readTree(nodepath.ask("status", "-o", "json").output());
        Map<String, String> byNode = new TreeMap<>();
        for (JsonNode pod : status.path("pods")) {
            if (pod.path("namespace").asText().equals("default")) {
                byNode.put(pod.path("node").asText(), pod.path("name").asText());
            }
        }
        return List.copyOf(byNode.values());
    }

    /** The last test of this cluster, whose agents are not started again. */
    @Test
    @Order(3)
    void aKilledAgentLeavesTraffic() throws IOException, InterruptedException {
        twoNetworks().whole("nftables");
        List<String> pods = podAddresses();
        for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
            String command = NodepathScript.commandLine(String.valueOf(process.pid()));
            if (NodepathScript.isOurs(String.valueOf(process.pid()))
                    && command.contains(" agent ")
                    && command.contains("java")) {
                process.destroyForcibly();
            }
        }
        await("the agents have ended", () -> nodepath.ask("status").output().contains("ended"));
        await("all answer to web-1", () -> unreachable("web-1", pods).isEmpty());
        assertThat(inside("web-3", "curl -s -m 60 http://10.96.0.20/")).contains("web-");
    }
}
