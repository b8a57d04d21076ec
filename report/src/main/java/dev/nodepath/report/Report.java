package dev.nodepath.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A whole run.
 *
 * @param title the subject of the report
 * @param started the start of the run
 * @param took the length of the run
 * @param environment its machine and other load
 * @param suites in the order they ran
 * @param partial whether it was interrupted, or is still running
 * @param command that makes the report again
 */
public record Report(
        String title,
        Instant started,
        @JsonProperty("tookSeconds") Duration took,
        Environment environment,
        List<SuiteResult> suites,
        boolean partial,
        String command) {

    /** Version of {@code report.json}; raised when a field changes its meaning or is removed. */
    public static final int SCHEMA = 2;

    public Report {
        suites = List.copyOf(suites);
    }

    /** Whether nothing is missing and every suite has passed. */
    public boolean passed() {
        return !partial && suites.stream().allMatch(SuiteResult::passed);
    }
}
