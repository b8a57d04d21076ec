package dev.nodepath.bench.programming;

import dev.nodepath.bench.suite.Outcome;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.report.Curve;
import dev.nodepath.report.SuiteResult;
import java.util.List;

/**
 * One run of a suite of parts.
 *
 * @param suite the name of the suite
 * @param parts measured one after the other
 */
record SuiteRun(String suite, SuiteSettings settings, List<SuitePart> parts) {
    SuiteRun {
        parts = List.copyOf(parts);
    }

    SuiteResult run() throws Exception {
        for (SuitePart part : parts) {
            part.measure(() -> settings.keep(result()));
        }
        return result();
    }

    private SuiteResult result() {
        List<Measured> measured = parts.stream().map(SuitePart::measured).toList();
        return Outcome.of(
                suite,
                measured.stream()
                        .flatMap(part -> part.recorder().figures().stream())
                        .toList(),
                measured.stream()
                        .flatMap(part -> part.recorder().curves(Curve.Kind.SCALE_LOG_LOG).stream())
                        .toList(),
                measured.stream()
                        .flatMap(part -> part.notes().stream())
                        .distinct()
                        .toList(),
                settings);
    }
}
