package dev.nodepath.emulator.report;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A whole run of {@code compare}.
 *
 * @param startedAt when it started
 * @param elapsed how long it took
 * @param environment the machine it ran on
 * @param measurements in the order they were made
 * @param expectations in the order they were checked
 */
public record CompareReport(
        Instant startedAt,
        Duration elapsed,
        Environment environment,
        List<Measurement> measurements,
        List<Expectation> expectations) {

    /** Version of {@code report.json}; raised when a field changes its meaning or goes. */
    public static final int SCHEMA_VERSION = 1;

    /** The mode that the others are compared with. */
    public static final String BASELINE = "direct";

    /** Copies the lists. */
    public CompareReport {
        measurements = List.copyOf(measurements);
        expectations = List.copyOf(expectations);
    }

    /** The expectations that were not met. */
    public List<Expectation> failures() {
        return expectations.stream().filter(expectation -> !expectation.met()).toList();
    }

    /** The modes, in the order they ran. */
    public List<String> modes() {
        return measurements.stream().map(Measurement::mode).distinct().toList();
    }

    /** The paths, in the order they were measured. */
    public List<String> paths() {
        return measurements.stream().map(Measurement::path).distinct().toList();
    }

    /** The measurement of a mode on a path. */
    public Optional<Measurement> measurement(String mode, String path) {
        return measurements.stream()
                .filter(each -> each.mode().equals(mode) && each.path().equals(path))
                .findFirst();
    }
}
