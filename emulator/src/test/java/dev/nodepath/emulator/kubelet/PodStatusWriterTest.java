package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodStatusWriterTest {
    /** Exit codes of containers that are not started again, with a dash for one that runs. */
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
                "172.30.0.11", List.of(), "", false, Instant.EPOCH, statuses(init), statuses(containers));
        ObjectNode written = PodStatusWriter.write(pod, running, Instant.EPOCH);
        assertThat(written.at("/status/phase").asText()).isEqualTo(phase);
    }

    private static List<ContainerStatus> statuses(String exitCodes) {
        return exitCodes == null
                ? List.of()
                : Arrays.stream(exitCodes.split(" "))
                        .map(code -> new ContainerStatus(
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
