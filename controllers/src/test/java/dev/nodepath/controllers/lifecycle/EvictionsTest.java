package dev.nodepath.controllers.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.TestObjects;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EvictionsTest {
    /** Taints were added at 12:00:00; Pods are given a minute. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            node.kubernetes.io/unreachable | NoExecute  | []                                                         | 12:01:00
            node.kubernetes.io/unreachable | NoSchedule | []                                                         | never
            dedicated                      | NoExecute  | []                                                         | 12:00:00
            dedicated                      | NoExecute  | [{'key': 'dedicated', 'operator': 'Exists'}]                | never
            dedicated                      | NoExecute  | [{'key': 'other', 'operator': 'Exists'}]                    | 12:00:00
            dedicated                      | NoExecute  | [{'operator': 'Exists', 'tolerationSeconds': 5}]            | 12:00:05
            node.kubernetes.io/unreachable | NoExecute  | [{'operator': 'Exists', 'tolerationSeconds': 300}]          | 12:01:00
            node.kubernetes.io/unreachable | NoExecute  | [{'operator': 'Exists', 'tolerationSeconds': 200}]          | 12:03:20
            node.kubernetes.io/unreachable | NoExecute  | [{'operator': 'Exists', 'effect': 'NoSchedule'}]            | 12:01:00
            """)
    void areDueAsTolerationsSay(String key, String effect, String tolerations, String expected) {
        ObjectNode node = TestObjects.json("{'spec': {'taints': [{'key': '" + key + "', 'effect': '" + effect
                + "', 'timeAdded': '2026-01-01T12:00:00Z'}]}}");
        ObjectNode pod = TestObjects.json("{'spec': {'tolerations': " + tolerations + "}}");
        String due = Evictions.due(pod, node, Duration.ofMinutes(1))
                .map(Instant::toString)
                .orElse("2026-01-01Tnever");
        assertThat(due).startsWith("2026-01-01T" + expected);
    }
}
