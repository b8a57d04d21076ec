package dev.nodepath.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code trace FROM TO} on a running cluster says what real requests meet. */
@Tag("netns")
class TraceNamesTest {
    /** With three endpoints at random, one is missed once in 2 * 10^10 runs. */
    private static final int REQUESTS = 60;

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private NodepathScript nodepath = new NodepathScript(Path.of("/"));
    private boolean hasStarted;

    @BeforeEach
    void prepare() {
        nodepath = new NodepathScript(folder);
    }

    @AfterEach
    void endCluster() throws IOException, InterruptedException {
        if (hasStarted) {
            nodepath.down();
        }
    }

    @Test
    @Tag("page")
    @ExtendWith(SharedCluster.OfAllClasses.class)
    void saysWhereRealRequestsGoAndWhatSourceTheyShow(SharedCluster cluster) throws IOException, InterruptedException {
        for (String mode : List.of("nftables", "userspace", "iptables")) {
            cluster.whole(mode);
            saysWhatRequestsMeet(mode);
        }
    }

    /** Only a relay keeps the client's address or not. */
    @Test
    void saysSoWhereTheRelayKeepsAddresses() throws IOException, InterruptedException {
        up().whole("userspace");
        saysWhatRequestsMeet("userspace");
    }

    /** One of this test alone. */
    private SharedCluster up(String... arguments) throws IOException, InterruptedException {
        hasStarted = true;
        List<String> all = new ArrayList<>(List.of("--mode=userspace", "--keep-client-address"));
        all.addAll(List.of(arguments));
        return SharedCluster.up(folder, all.toArray(String[]::new));
    }

    private void saysWhatRequestsMeet(String mode) throws IOException, InterruptedException {
        check("client-1", "web:80", "10.96.0.20");
        check("solo", "solo:80", "10.96.0.12");
        check("client", "n1:30080", "172.30.0.11:30080");
        check("client-1", "n2:30080", "172.30.0.12:30080");
        check("client-2", "web:http", "10.96.0.20");
        check("n1", "web.default:80", "10.96.0.20");
        check("n2", "web-1:http", address("web-1") + ":8080");
        NodepathScript.Result text = nodepath.ask("trace", "client-1", "void:80");
        assertThat(text.output()).contains("mode " + mode, "is rejected: the sender gets an error at once");
    }

    @Test
    void followsTheOverlayBetweenNetworksInBothFamilies() throws IOException, InterruptedException {
        Path topology = Path.of(System.getProperty("nodepath.home"), "docs/topologies/two-networks.yaml");
        SharedCluster cluster = up(topology.toString());
        NodepathScript.Result unknown = nodepath.ask("trace", "nobody", "web:80");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.output())
                .contains("FROM: \"nobody\" (expected: one of [")
                .hasLineCount(1);
        for (String mode : List.of("userspace", "nftables")) {
            cluster.whole(mode);
            check("n1", "web:80", "10.96.0.20");
            check("web-3", "web:80", "10.96.0.20");
            check("n1", "[fd96::20]:80", "http://[fd96::20]");
            check("web-3", "n1:30080", "172.30.0.11:30080");
            check("n1", "web-3:http", address("web-3") + ":8080");
        }
    }

    @Test
    void saysHowToStartACluster() throws IOException, InterruptedException {
        NodepathScript.Result without = nodepath.run("trace", "client-1", "web:80");
        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.output())
                .startsWith("nodepath: no cluster \"default\" is running in /")
                .endsWith(" (expected: run '" + nodepath.program() + " up' first)\n");
    }

    private void check(String from, String to, String url) throws IOException, InterruptedException {
        assertThat(traced(from, to)).as(from + " " + to).isEqualTo(seen(from, url));
    }

    /** The first address of a pod. */
    private String address(String pod) throws IOException, InterruptedException {
        for (JsonNode each :
                JSON.readTree(nodepath.ask("status", "-o", "json").output()).path("pods")) {
            if (each.path("name").asText().equals(pod)) {
                return each.path("addresses").asText().split(", ", -1)[0];
            }
        }
        throw new AssertionError("no pod " + pod);
    }

    /** POD SOURCE of each end. */
    private Set<String> traced(String from, String to) throws IOException, InterruptedException {
        NodepathScript.Result trace = nodepath.ask("trace", from, to, "-o", "json");
        assertThat(trace.exitCode()).as(trace.output()).isZero();
        Set<String> ends = new TreeSet<>();
        for (JsonNode end : JSON.readTree(trace.output()).path("outcomes")) {
            ends.add(end.path("name").asText() + " " + end.path("seenSource").asText());
        }
        return ends;
    }

    /** POD SOURCE of each answer, as the built-in server gives it. */
    private Set<String> seen(String from, String url) throws IOException, InterruptedException {
        // One process, and a connection for each request.
        List<String> curl = new ArrayList<>(List.of("exec", from, "--", "curl", "-s", "-g", "-m", "60"));
        curl.addAll(List.of("-H", "Connection: close"));
        curl.addAll(Collections.nCopies(REQUESTS, url));
        NodepathScript.Result answers = nodepath.ask(curl.toArray(String[]::new));
        assertThat(answers.exitCode()).as(answers.output()).isZero();
        Set<String> seen = new TreeSet<>();
        for (String line :
                answers.output().lines().filter(each -> !each.isBlank()).toList()) {
            JsonNode answer = JSON.readTree(line);
            seen.add(answer.path("pod").asText() + " "
                    + IpAddress.parse(answer.path("source").asText()));
        }
        return seen;
    }
}
