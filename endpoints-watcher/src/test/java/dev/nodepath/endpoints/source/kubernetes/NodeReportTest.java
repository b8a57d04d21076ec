package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.EVENTS;
import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.NODES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReportTest {
    private static final Instant NOW = Instant.parse("2026-11-20T20:00:00.123456789Z");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TestApiServer server = new TestApiServer();

    @AfterEach
    void close() {
        server.close();
    }

    private NodeReport report(Instant now) throws Exception {
        return new NodeReport(ApiServerAccess.master(server.url()), "n1", InstantSource.fixed(now));
    }

    private JsonNode conditions() throws IOException {
        return JSON.readTree(server.get(NODES, "", "n1").orElseThrow())
                .path("status")
                .path("conditions");
    }

    @Test
    void setsTheConditionBesideOthersAndOnlyOnce() throws Exception {
        server.put(NODES, """
                {"metadata":{"name":"n1"},"status":{"conditions":[{"type":"Ready","status":"True"},
                {"type":"NetworkUnavailable","status":"True","reason":"NoRouteCreated",
                 "lastTransitionTime":"2020-01-01T00:00:00Z"}]}}""");

        assertThat(report(NOW).networkReady("NodepathIsUp", "it is")).isTrue();
        assertThat(conditions()).hasSize(2);
        assertThat(conditions().get(0).toString()).isEqualTo("{\"type\":\"Ready\",\"status\":\"True\"}");
        assertThat(conditions().get(1))
                .isEqualTo(JSON.readTree(
                        "{\"type\":\"NetworkUnavailable\",\"status\":\"False\",\"reason\":\"NodepathIsUp\","
                                + "\"message\":\"it is\",\"lastHeartbeatTime\":\"2026-11-20T20:00:00Z\","
                                + "\"lastTransitionTime\":\"2026-11-20T20:00:00Z\"}"));

        assertThat(report(NOW.plusSeconds(60)).networkReady("NodepathIsUp", "it is"))
                .isFalse();
        assertThat(report(NOW.plusSeconds(60)).networkReady("NodepathIsUp", "it still is"))
                .isTrue();
        assertThat(conditions().get(1).path("lastTransitionTime").asText())
                .as("the status did not change")
                .isEqualTo("2026-11-20T20:00:00Z");
    }

    @Test
    void takesBackItsOwnConditionAlone() throws Exception {
        server.put(NODES, """
                {"metadata":{"name":"n1"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}""");
        assertThat(report(NOW).networkRemoved("NodepathIsUp"))
                .as("nothing was said")
                .isFalse();
        report(NOW).networkReady("OtherIsUp", "another network's");
        assertThat(report(NOW).networkRemoved("NodepathIsUp")).as("by another").isFalse();
        assertThat(conditions()).hasSize(2);

        report(NOW).networkReady("NodepathIsUp", "it is");
        assertThat(report(NOW).networkRemoved("NodepathIsUp")).isTrue();
        assertThat(conditions().toString()).isEqualTo("[{\"type\":\"Ready\",\"status\":\"True\"}]");
        server.delete(NODES, "", "n1");
        assertThat(report(NOW).networkRemoved("NodepathIsUp")).as("no Node").isFalse();
    }

    @Test
    void createsEventsThatKubectlFindsByTheNode() throws Exception {
        report(NOW).event(new NodeEvent("n1", "NoPodCIDR", "x".repeat(2000), true, NOW));

        JsonNode event = JSON.readTree(server.events().get(0));
        assertThat(event.path("eventTime").asText()).isEqualTo("2026-11-20T20:00:00.123456Z");
        assertThat(event.path("type").asText()).isEqualTo("Warning");
        assertThat(event.path("reason").asText()).isEqualTo("NoPodCIDR");
        assertThat(event.path("note").asText())
                .hasSize(NodeEvent.NOTE_CHARS_MAX)
                .endsWith("...");
        assertThat(event.path("regarding").toString())
                .isEqualTo("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n1\",\"uid\":\"n1\"}");
        assertThat(event.path("metadata").path("namespace").asText()).isEqualTo("default");
    }

    @Test
    void namesTheRuleThatIsMissing() throws Exception {
        server.put(NODES, "{\"metadata\":{\"name\":\"n1\"}}");
        String forbidden = TestApiServer.resource("forbidden-anonymous.json");
        server.fail(NODES + "/n1", false, 1, 403, forbidden, "");
        assertThatThrownBy(() -> report(NOW).networkReady("r", "m"))
                .hasMessageStartingWith("GET " + server.url() + "/api/v1/nodes/n1: 403 Forbidden: ")
                .hasMessageEndingWith(
                        "(expected: the RBAC rule {apiGroups: [\"\"], resources: [nodes], verbs: [get]})");
        server.fail(NODES + "/n1/status", false, 1, 403, forbidden, "");
        assertThatThrownBy(() -> report(NOW).networkReady("r", "m"))
                .hasMessageStartingWith("PATCH ")
                .hasMessageEndingWith(
                        "(expected: the RBAC rule {apiGroups: [\"\"], resources: [nodes/status], verbs: [patch]})");
        server.fail(EVENTS, false, 1, 403, forbidden, "");
        assertThatThrownBy(() -> report(NOW).event(new NodeEvent("n1", "R", "n", false, NOW)))
                .hasMessageStartingWith("POST ")
                .hasMessageEndingWith("(expected: the RBAC rule {apiGroups: [\"events.k8s.io\"], resources: [events],"
                        + " verbs: [create]})");
    }

    /** The server says 200 before it breaks off. */
    @Test
    void anEventIsSentThoughItsAnswerBreaks() throws Exception {
        server.fail(EVENTS, false, 1, 0, "{\"kind\":\"Ev", "");
        assertThatCode(() -> report(NOW).event(new NodeEvent("n1", "R", "n", true, NOW)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "400,true",
        "401,false",
        "403,false",
        "404,true",
        "408,false",
        "413,true",
        "422,true",
        "429,false",
        "503,false"
    })
    void tellsWhatWillNeverBeTakenFromWhatMayBe(int code, boolean never) {
        String answer = "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"no\",\"code\":" + code + "}";
        server.fail(EVENTS, false, 1, code, answer, "");
        assertThatThrownBy(() -> report(NOW).event(new NodeEvent("n1", "R", "n", false, NOW)))
                .isInstanceOf(never ? RefusedException.class : IOException.class)
                .satisfies(e -> assertThat(e instanceof RefusedException).isEqualTo(never));
    }
}
