package dev.nodepath.agent.metrics;

import dev.nodepath.agent.http.HttpResponse;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Metrics in Prometheus' text format. */
public final class MetricsText {
    private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private MetricsText() {}

    /** The answer to a scraper. */
    public static HttpResponse response(MetricSnapshots metrics) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(text, metrics);
        return HttpResponse.of(200, CONTENT_TYPE, text.toString(StandardCharsets.UTF_8));
    }
}
