package dev.nodepath.bench.programming;

import dev.nodepath.bench.suite.Outcome;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.Curve;
import dev.nodepath.report.SuiteResult;
import java.util.List;

/** One run of the {@link ProgrammingSuite}. It replaces the tables of the namespace that the process is in. */
final class ProgrammingRun {
    private final SuiteSettings settings;
    private final List<ProgrammingPart> parts;

    ProgrammingRun(Programs programs, SuiteSettings settings, ProgrammingSizes sizes) {
        this(
                settings,
                List.of(
                        new NftablesProgramming(settings, sizes.nftables()),
                        new IptablesProgramming(settings, sizes),
                        new ProxyProcesses(programs, settings, sizes.process())));
    }

    /** Of these parts alone. */
    ProgrammingRun(SuiteSettings settings, List<ProgrammingPart> parts) {
        this.settings = settings;
        this.parts = List.copyOf(parts);
    }

    SuiteResult run() throws Exception {
        for (ProgrammingPart part : parts) {
            part.measure(() -> settings.keep(result()));
        }
        return result();
    }

    private SuiteResult result() {
        List<Measured> measured = parts.stream().map(ProgrammingPart::measured).toList();
        return Outcome.of(
                "programming",
                measured.stream()
                        .flatMap(part -> part.recorder().figures().stream())
                        .toList(),
                measured.stream()
                        .flatMap(part -> part.recorder().curves(Curve.Kind.SCALE_LOG_LOG).stream())
                        .toList(),
                measured.stream().flatMap(part -> part.notes().stream()).toList(),
                settings);
    }
}
