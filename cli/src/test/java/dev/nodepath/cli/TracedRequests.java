package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares real requests with the output of {@code trace} about them.
 *
 * @param nodepath asks the running cluster
 */
record TracedRequests(NodepathScript nodepath) {
    /** With three endpoints at random, one is missed once in 2 * 10^10 runs. */
    private static final int REQUESTS = 60;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Checks one way to each kind of destination, in a cluster whose nodes all have this mode. */
    void areAsInMode(String mode) throws IOException, InterruptedException {
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

    /** The answering pod of this URL is the one in the trace, and sees the source in the trace. */
    void check(String from, String to, String url) throws IOException, InterruptedException {
        assertThat(traced(from, to)).as(from + " " + to).isEqualTo(seen(from, url));
    }

    /** The first address of a pod. */
    String address(String pod) throws IOException, InterruptedException {
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

    /** POD SOURCE of each answer of the built-in server. */
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
