package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.report.form.OwnFolder;
import dev.nodepath.report.form.ReportFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The folder of {@code --report}. */
public final class ReportTarget {
    private ReportTarget() {}

    /** Makes the folder and tries to write, before a minute of work. */
    public static void prepare(Path report) throws CommandException {
        if (Files.isRegularFile(report)) {
            throw CommandException.wrongUsage(
                    List.of("--report: " + report + " is a file (expected: a folder, or nothing there yet)"));
        }
        if (report.startsWith("/run")) {
            throw CommandException.wrongUsage(List.of("--report: " + report
                    + " (expected: a folder outside /run, because the enclosure has its" + " own /run)"));
        }
        try {
            new ReportFolder(report).prepare();
        } catch (OwnFolder.RefusedException e) {
            throw CommandException.wrongUsage(List.of("--report: " + e.getMessage()));
        } catch (IOException e) {
            throw CommandException.wrongUsage(List.of("--report: " + report + " cannot be written: "
                    + e.getClass().getSimpleName() + ": " + e.getMessage()
                    + " (expected: a writable folder with 4 MiB free)"));
        }
    }
}
