package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodStatusWriterTest {
    /** Exit codes of containers that are not started again, with a dash for a running one. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "none", textBlock = """
            none | none | Pending
            -    | none | Pending
            1    | none | Failed
            0 3  | none | Failed
            0    | -    | Running
            0    | 0 0  | Succeeded
            none | 0 1  | Failed
            none | 0 -  | Running
            """)
    void thePhaseFollowsTheContainers(String init, String containers, String phase) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        PodStatusWriter.Running running = new PodStatusWriter.Running(
                "172.30.0.11",
                List.of(),
                "",
                false,
                false,
                Instant.EPOCH,
                statuses(ContainerSpec.Role.INIT, init),
                statuses(ContainerSpec.Role.MAIN, containers),
                List.of());
        ObjectNode written = PodStatusWriter.write(pod, running, Instant.EPOCH);
        assertThat(written.at("/status/phase").asText()).isEqualTo(phase);
    }

    @Test
    void aSidecarCountsForReadinessAndNotForTheEnd() throws Exception {
        ContainerStatus done = status(ContainerSpec.Role.MAIN, "main", Optional.of(0), "{'terminated': {}}");
        ContainerStatus runs = status(ContainerSpec.Role.SIDECAR, "proxy", Optional.empty(), "{'running': {}}");
        ContainerStatus killed = status(ContainerSpec.Role.SIDECAR, "proxy", Optional.of(137), "{'terminated': {}}");
        JsonNode before = written(runs, done);
        assertThat(before.path("phase").asText()).isEqualTo("Running");
        assertThat(condition(before, "ContainersReady").path("message").asText())
                .isEqualTo("containers with unready status: [proxy main]");
        JsonNode after = written(killed, done);
        assertThat(after.path("phase").asText()).isEqualTo("Succeeded");
        assertThat(condition(after, "Ready").path("reason").asText()).isEqualTo("PodCompleted");
    }

    @Test
    void aPodThatFailedSaysSoInItsReadiness() throws Exception {
        ContainerStatus init = status(ContainerSpec.Role.INIT, "first", Optional.of(0), "{'terminated': {}}");
        JsonNode status = written(init, status(ContainerSpec.Role.MAIN, "main", Optional.of(3), "{'terminated': {}}"));
        for (String type : List.of("Ready", "ContainersReady")) {
            assertThat(condition(status, type).path("reason").asText()).isEqualTo("PodFailed");
            assertThat(condition(status, type).has("message")).isFalse();
        }
    }

    private static ContainerStatus status(
            ContainerSpec.Role role, String name, Optional<Integer> exitCode, String state) throws Exception {
        ObjectNode entry = (ObjectNode) new ObjectMapper().readTree("{\"state\": " + state.replace('\'', '"') + "}");
        return new ContainerStatus(role, name, false, true, exitCode, entry);
    }

    private static JsonNode written(ContainerStatus first, ContainerStatus main) {
        return PodStatusWriter.write(
                        JsonNodeFactory.instance.objectNode(),
                        new PodStatusWriter.Running(
                                "172.30.0.11",
                                List.of(),
                                "",
                                false,
                                true,
                                Instant.EPOCH,
                                List.of(first),
                                List.of(main),
                                List.of()),
                        Instant.EPOCH)
                .path("status");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            []                                       | False | corresponding condition of pod readiness gate "lb" does not exist.
            [{"type": "lb", "status": "False"}]      | False | the status of pod readiness gate "lb" is not "True", but False
            [{"type": "lb", "status": "True"}]       | True  | ``
            """)
    void aPodIsReadyWhenItsGatesAre(String conditions, String ready, String message) throws Exception {
        ObjectNode pod = (ObjectNode) new ObjectMapper()
                .readTree("{\"spec\": {\"readinessGates\": [{\"conditionType\": \"lb\"}]},"
                        + " \"status\": {\"conditions\": " + conditions + "}}");
        ContainerStatus running = new ContainerStatus(
                ContainerSpec.Role.MAIN, "c", true, true, Optional.empty(), JsonNodeFactory.instance.objectNode());
        JsonNode status = PodStatusWriter.write(
                        pod,
                        new PodStatusWriter.Running(
                                "172.30.0.11",
                                List.of(),
                                "",
                                false,
                                true,
                                Instant.EPOCH,
                                List.of(),
                                List.of(running),
                                List.of()),
                        Instant.EPOCH)
                .path("status");
        assertThat(condition(status, "Ready").path("status").asText()).isEqualTo(ready);
        assertThat(condition(status, "Ready").path("message").asText("")).isEqualTo(message);
        assertThat(condition(status, "ContainersReady").path("status").asText()).isEqualTo("True");
    }

    private static JsonNode condition(JsonNode status, String type) {
        for (JsonNode each : status.path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    private static List<ContainerStatus> statuses(ContainerSpec.Role role, String exitCodes) {
        return exitCodes == null
                ? List.of()
                : Arrays.stream(exitCodes.split(" "))
                        .map(code -> new ContainerStatus(
                                role,
                                "c",
                                false,
                                true,
                                Optional.of(code)
                                        .filter(each -> !each.equals("-"))
                                        .map(Integer::valueOf),
                                JsonNodeFactory.instance.objectNode()))
                        .toList();
    }
}
