package dev.nodepath.emulator.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder with {@code report.md}, {@code report.json} and {@code report.html}. */
public final class ReportFolder {
    private ReportFolder() {}

    /**
     * Writes the three files, replacing older ones.
     *
     * @throws IOException if the folder cannot be made or written
     */
    public static void write(CompareReport report, Path folder) throws IOException {
        Files.createDirectories(folder);
        write(folder, "report.md", MarkdownReport.render(report));
        write(folder, "report.json", JsonReport.render(report));
        write(folder, "report.html", HtmlReport.render(report));
    }

    private static void write(Path folder, String name, String content) throws IOException {
        Files.writeString(folder.resolve(name), content, StandardCharsets.UTF_8);
    }
}
