package dev.nodepath.emulator.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.emulator.traffic.HttpLoad;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class MeasurementTest {
    private static final HttpLoad.Result FINE = load(1000, 0);
    private static final HttpLoad.Result BROKEN = load(2000, 1);
    private static final HttpLoad.Result SILENT = load(0, 0);

    @Test
    void loadThatFailedInPartGivesNoFigureAndTheOthersStay() {
        Measurement keptAlive = Measurement.of("userspace", "pod", 0, BROKEN, FINE, 8);
        assertThat(keptAlive.requestsPerSecond()).isNaN();
        assertThat(keptAlive.p50Micros()).isNaN();
        assertThat(keptAlive.p99Micros()).isNaN();
        assertThat(keptAlive.connectionsPerSecond()).isEqualTo(1000);
        assertThat(keptAlive.gigabitsPerSecond()).isEqualTo(8);

        Measurement opened = Measurement.of("userspace", "pod", 0, FINE, SILENT, 8);
        assertThat(opened.requestsPerSecond()).isEqualTo(1000);
        assertThat(opened.p99Micros()).isPositive();
        assertThat(opened.connectionsPerSecond()).isNaN();
    }

    @Test
    void roundOfAFailedLoadCountsForNoShare() {
        Measurements measurements = new Measurements(List.of(
                Measurement.of("direct", "pod", 0, load(2000, 0), FINE, 8),
                Measurement.of("userspace", "pod", 0, FINE, FINE, 8),
                Measurement.of("direct", "pod", 1, FINE, FINE, 8),
                Measurement.of("userspace", "pod", 1, BROKEN, FINE, 8)));
        assertThat(measurements
                        .share("userspace", "pod", Measurement::requestsPerSecond)
                        .measured())
                .containsExactly(0.5);
    }

    /** A second long. */
    private static HttpLoad.Result load(long requests, long errors) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(100_000, requests);
        return new HttpLoad.Result(requests, errors, errors == 0 ? "" : "refused", Duration.ofSeconds(1), latency);
    }
}
