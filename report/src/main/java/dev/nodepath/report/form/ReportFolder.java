package dev.nodepath.report.form;

import dev.nodepath.report.Report;
import dev.nodepath.report.ReportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * A folder with {@code report.json}, {@code report.md} and {@code report.html}.
 *
 * @param path of the folder
 */
public record ReportFolder(Path path) {
    private static final String JSON = "report.json";
    private static final String MARKDOWN = "report.md";
    private static final String HTML = "report.html";

    private static final String PROBE = ".probe";

    /** More than a report of all suites needs. */
    private static final int PROBE_BYTES = 4 << 20;

    /** A larger file is no report. */
    private static final long JSON_BYTES_MAX = 64 << 20;

    /**
     * Makes the folder and tests that a report can be written, before minutes of work.
     *
     * @throws OwnFolder.RefusedException if other users could change it
     * @throws IOException if a report cannot be written, or there is no room for one
     */
    public void prepare() throws IOException {
        try (OwnFolder folder = OwnFolder.make(path, OwnFolder.Access.READABLE)) {
            folder.replace(PROBE, new byte[PROBE_BYTES]);
            folder.delete(PROBE);
        }
    }

    /**
     * Moves the report of an earlier run into {@code earlier/TIME}, the time of its file, for comparison with the next
     * report.
     *
     * @return its new place; empty without an earlier report
     * @throws IOException if the folder cannot be written
     */
    public Optional<Path> keepEarlier() throws IOException {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try (OwnFolder folder = OwnFolder.open(path, OwnFolder.Access.READABLE)) {
            Optional<Instant> written = folder.changed(JSON);
            if (written.isEmpty()) {
                return Optional.empty();
            }
            String time = written.get().truncatedTo(ChronoUnit.MILLIS).toString();
            try (OwnFolder earlier = folder.child("earlier");
                    OwnFolder kept = earlier.child(time.replace(":", ""))) {
                for (String name : List.of(JSON, MARKDOWN, HTML)) {
                    if (folder.changed(name).isPresent()) {
                        folder.move(name, kept, name);
                    }
                }
                return Optional.of(kept.path());
            }
        }
    }

    /**
     * Writes the three files, {@code report.json} first; each replaces the older file atomically.
     *
     * @throws IOException if the folder cannot be written; older files then stay unchanged
     */
    public void write(Report report) throws IOException {
        try (OwnFolder folder = OwnFolder.make(path, OwnFolder.Access.READABLE)) {
            folder.replace(JSON, ReportJson.write(report));
            folder.replace(MARKDOWN, MarkdownReport.render(report));
            folder.replace(HTML, HtmlReport.render(report));
        }
    }

    /**
     * Reads {@code report.json}; the path may also be that file itself.
     *
     * @throws ReportException if there is none, or if it has another schema version
     * @throws IOException if it cannot be read
     */
    public Report read() throws IOException, ReportException {
        Path file = Files.isDirectory(path) ? path.resolve(JSON) : path;
        try {
            long size = Files.size(file);
            if (size > JSON_BYTES_MAX) {
                throw new ReportException(
                        file + ": " + size + " bytes (expected: a report, at most " + JSON_BYTES_MAX + ")");
            }
            return ReportJson.read(file.toString(), Files.readString(file));
        } catch (NoSuchFileException e) {
            throw new ReportException(file + ": not found (expected: a folder with " + JSON + ", or that file)");
        }
    }
}
