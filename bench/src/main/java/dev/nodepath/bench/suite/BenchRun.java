package dev.nodepath.bench.suite;

import dev.nodepath.report.Environment;
import dev.nodepath.report.MachineProbe;
import dev.nodepath.report.Report;
import dev.nodepath.report.SuiteResult;
import dev.nodepath.report.form.ReportFolder;
import dev.nodepath.report.form.TerminalReport;
import dev.nodepath.report.form.Wrapped;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Runs suites one after the other. Each round's results are in the report at once, so an interrupted run keeps them.
 */
public final class BenchRun {
    private static final String TITLE = "Nodepath bench";

    private final ReportFolder folder;
    private final PrintWriter out;
    private final InstantSource clock;
    private final MachineProbe probe;
    private final String command;
    private final List<SuiteResult> done = new ArrayList<>();

    /** The report could not be written during a suite. The suite itself has not failed. */
    private static final class NotWritten extends RuntimeException {
        private final transient IOException failure;

        NotWritten(IOException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    /**
     * A run.
     *
     * @param folder where the report is kept
     * @param command that started it, for the report
     */
    public BenchRun(ReportFolder folder, PrintWriter out, InstantSource clock, MachineProbe probe, String command) {
        this.folder = folder;
        this.out = out;
        this.clock = clock;
        this.probe = probe;
        this.command = command;
    }

    /**
     * Runs the suites. The report names a suite that fails, and the others go on.
     *
     * @param versions of the software, for the report
     * @throws IOException if the report cannot be written
     */
    public Report run(List<Suite> suites, SuiteSettings settings, Map<String, String> versions)
            throws IOException, InterruptedException {
        Instant started = clock.instant();
        Environment environment = probe.before(versions);
        try {
            for (Suite suite : suites) {
                run(suite, settings, started, environment);
            }
        } catch (NotWritten e) {
            throw e.failure;
        }
        Report report = report(started, environment, Optional.empty());
        folder.write(report);
        return report;
    }

    private void run(Suite suite, SuiteSettings settings, Instant started, Environment environment)
            throws IOException, InterruptedException {
        String again = "scripts/nodepath bench " + suite.name();
        SuiteResult[] kept = {SuiteResult.nothing(suite.name(), "", again)};
        SuiteSettings own = new SuiteSettings(
                settings.rounds(),
                settings.quick(),
                settings.peers(),
                settings.kubeProxy(),
                line -> say(suite.name() + ": " + line),
                result -> {
                    kept[0] = result;
                    write(report(started, environment, Optional.of(result.incomplete("Not finished."))));
                });
        SuiteResult result;
        try {
            result = suite.run(own);
        } catch (InterruptedException | NotWritten e) {
            throw e;
        } catch (Exception e) {
            String message = String.valueOf(e.getMessage() == null ? e : e.getMessage());
            result = kept[0].incomplete("FAILED: " + message.strip() + ".");
        }
        done.add(result);
        write(report(started, environment, Optional.of(result)));
        out.println();
        out.print(TerminalReport.render(result));
        out.flush();
    }

    private Report report(Instant started, Environment environment, Optional<SuiteResult> running) {
        List<SuiteResult> suites = new ArrayList<>(done);
        running.filter(suite -> !done.contains(suite)).ifPresent(suites::add);
        return new Report(
                TITLE,
                started,
                Duration.between(started, clock.instant()),
                environment.with(probe.during()),
                suites,
                running.isPresent(),
                command);
    }

    private void write(Report report) {
        try {
            folder.write(report);
        } catch (IOException e) {
            throw new NotWritten(e);
        }
    }

    private void say(String line) {
        out.print(Wrapped.text(String.format(Locale.ROOT, "%tT ", clock.millis()), line));
        out.flush();
    }
}
