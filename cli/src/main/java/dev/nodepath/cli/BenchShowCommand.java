package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.report.Report;
import dev.nodepath.report.ReportException;
import dev.nodepath.report.form.HtmlReport;
import dev.nodepath.report.form.MarkdownReport;
import dev.nodepath.report.form.ReportFolder;
import dev.nodepath.report.form.TerminalReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nodepath bench show}: a report as tables. */
@Command(
        name = "show",
        description = "Prints a report: tables, Markdown, or the HTML page.",
        footer = {"nodepath bench show nodepath-report/bench", "nodepath bench show --format=md nodepath-report"},
        mixinStandardHelpOptions = true)
final class BenchShowCommand implements Callable<Integer> {
    /** How a report is printed. */
    enum Format {
        TABLE,
        MD,
        HTML;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "DIR", description = "A report's folder, or its report.json.")
    private Path folder = Path.of("");

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "Format of the printed report: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Format format = Format.TABLE;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, IOException {
        Report report = read(folder);
        spec.commandLine().getOut().print(render(report));
        spec.commandLine().getOut().flush();
        return 0;
    }

    private String render(Report report) {
        return switch (format) {
            case TABLE -> TerminalReport.render(report);
            case MD -> MarkdownReport.render(report);
            case HTML -> HtmlReport.render(report);
        };
    }

    /** Reads a report, or says why it cannot be used. */
    static Report read(Path folder) throws CommandException, IOException {
        try {
            return new ReportFolder(folder).read();
        } catch (ReportException e) {
            throw CommandException.wrongUsage(List.of(String.valueOf(e.getMessage())));
        }
    }
}
