package dev.nodepath.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.daemon.CniLog;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.server.CallRequest;
import dev.nodepath.cni.server.FileIdentity;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CniMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final CniMetrics metrics = new CniMetrics(registry, new CniLog());

    private void served(String command, CallOutcome outcome) {
        metrics.served(
                new CallRequest(Map.of("CNI_COMMAND", command), ByteBuffer.allocate(0), new FileIdentity(0, 0)),
                outcome,
                Duration.ofMillis(3));
    }

    @Test
    void countsCallsByCommandAndCode() throws Exception {
        served("ADD", new CallOutcome(0, "{}", ""));
        served("ADD", new CallOutcome(1, "{\"cniVersion\":\"1.0.0\",\"code\":11,\"msg\":\"later\"}\n", ""));
        served("DEL", new CallOutcome(1, "a plugin that prints {", ""));
        served("X\"Y", new CallOutcome(1, "{\"code\":123456789}", ""));
        metrics.refused("busy");

        String text = MetricsText.response(registry.scrape()).body();
        assertThat(text.lines().filter(line -> line.startsWith("nodepath_cni_calls_total")))
                .containsExactlyInAnyOrder(
                        "nodepath_cni_calls_total{code=\"0\",command=\"ADD\"} 1.0",
                        "nodepath_cni_calls_total{code=\"11\",command=\"ADD\"} 1.0",
                        "nodepath_cni_calls_total{code=\"other\",command=\"DEL\"} 1.0",
                        "nodepath_cni_calls_total{code=\"other\",command=\"other\"} 1.0");
        assertThat(text)
                .contains("nodepath_cni_call_duration_seconds_bucket{command=\"ADD\",le=\"0.004\"} 2")
                .contains("nodepath_cni_refused_total 1.0");
    }
}
