package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of a comparison. */
final class CompareOptions {
    private static final double SECONDS_MIN = 0.05;
    private static final double SECONDS_MAX = 60;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            defaultValue = "nodepath-report",
            description = "Folder for report.md, report.json and report.html (default: ${DEFAULT-VALUE}).")
    private Path report = Path.of("nodepath-report");

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "0.1",
            description = "Length of each of the 240 measurements, 0.05 to 60 (default: ${DEFAULT-VALUE}).")
    private double seconds;

    void check() throws CommandException {
        if (!(seconds >= SECONDS_MIN && seconds <= SECONDS_MAX)) {
            throw CommandException.wrongUsage(List.of("--seconds: " + seconds + " (expected: 0.05 to 60)"));
        }
    }

    Path report() {
        return report;
    }

    double seconds() {
        return seconds;
    }

    Duration length() {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }
}
