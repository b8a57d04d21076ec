package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.emulator.cluster.ProxySync;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeLineTest {
    /** A lesson waits for steps of the rules, so a failed sync must not be one. */
    @ParameterizedTest
    @CsvSource({"true, rules, synced 2 Service ports in 18 ms", "false, agent, the sync failed"})
    void onlyASyncThatSucceededIsAStepOfTheRules(boolean ok, String layer, String what) {
        ProxySync sync = new ProxySync(Instant.ofEpochMilli(5), ok, 18, 8, 2, Optional.empty(), Optional.empty());

        ObjectNode step = TimeLine.stepOf("n1", sync);

        assertThat(step.path("layer").asText()).isEqualTo(layer);
        assertThat(step.path("what").asText()).isEqualTo(what);
        assertThat(step.path("at").asLong()).isEqualTo(5);
    }
}
