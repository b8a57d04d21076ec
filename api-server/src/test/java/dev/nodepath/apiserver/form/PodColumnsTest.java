package dev.nodepath.apiserver.form;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The output of {@code kubectl get pods} for a Pod with a sidecar {@code s}, an init container {@code i} and a
 * container.
 */
class PodColumnsTest {
    private static final String SPEC =
            "{'initContainers': [{'name': 's', 'restartPolicy': 'Always'}, {'name': 'i'}], 'containers': [{'name': 'c'}]}";

    /** A container is a letter: Waits, Crashes, is Started, is Ready, Failed, Done. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            WWW, False, 0/2, Init:0/2
            CWW, False, 0/2, Init:CrashLoopBackOff
            SWW, False, 0/2, Init:1/2
            RWW, False, 1/2, Init:1/2
            RCW, False, 1/2, Init:CrashLoopBackOff
            RFW, False, 1/2, Init:Error
            RDW, True,  1/2, PodInitializing
            RDR, True,  2/2, Running
            SDR, True,  1/2, Running
            FDD, True,  0/2, Completed
            DDF, True,  0/2, Error
            """)
    void countsSidecarsAndNamesWhatHoldsUp(String letters, String initialized, String ready, String status)
            throws Exception {
        JsonNode pod = new ObjectMapper()
                .readTree(("{'spec': " + SPEC + ", 'status': {'phase': 'Running',"
                                + " 'conditions': [{'type': 'Initialized', 'status': '" + initialized + "'}],"
                                + " 'initContainerStatuses': [" + container("s", letters.charAt(0)) + ", "
                                + container("i", letters.charAt(1)) + "],"
                                + " 'containerStatuses': [" + container("c", letters.charAt(2)) + "]}}")
                        .replace('\'', '"'));
        assertThat(cell("Ready", pod)).isEqualTo(ready);
        assertThat(cell("Status", pod)).isEqualTo(status);
    }

    @Test
    void aPodThatMustNotBeScheduledYetIsGated() throws Exception {
        JsonNode pod = new ObjectMapper()
                .readTree("{\"spec\": {\"containers\": [{}]}, \"status\": {\"phase\": \"Pending\", \"conditions\":"
                        + " [{\"type\": \"PodScheduled\", \"status\": \"False\", \"reason\": \"SchedulingGated\"}]}}");
        assertThat(cell("Status", pod)).isEqualTo("SchedulingGated");
    }

    private static String container(String name, char letter) {
        String state = switch (letter) {
            case 'W' -> "'waiting': {'reason': 'PodInitializing'}";
            case 'C' -> "'waiting': {'reason': 'CrashLoopBackOff'}";
            case 'F' -> "'terminated': {'exitCode': 1, 'reason': 'Error'}";
            case 'D' -> "'terminated': {'exitCode': 0, 'reason': 'Completed'}";
            default -> "'running': {}";
        };
        boolean started = letter == 'S' || letter == 'R';
        return "{'name': '" + name + "', 'started': " + started + ", 'ready': " + (letter == 'R') + ", 'state': {"
                + state + "}}";
    }

    private static Object cell(String column, JsonNode pod) {
        return PodColumns.ALL.stream()
                .filter(each -> each.name().equals(column))
                .findFirst()
                .orElseThrow()
                .cell()
                .apply(pod, Instant.EPOCH);
    }
}
