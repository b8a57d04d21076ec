package dev.nodepath.report.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.report.Report;
import dev.nodepath.report.ReportDiff;
import dev.nodepath.report.ReportException;
import dev.nodepath.report.SampleReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportFolderTest {
    @TempDir
    Path directory;

    @Test
    void readsWhatItWrote() throws Exception {
        Report report = SampleReport.create();
        ReportFolder folder = new ReportFolder(directory.resolve("new/folder"));

        folder.write(report);

        assertThat(folder.read()).isEqualTo(report);
        assertThat(new ReportFolder(directory.resolve("new/folder/report.json")).read())
                .isEqualTo(report);
        try (var files = Files.list(folder.path())) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("report.json", "report.md", "report.html");
        }
    }

    /** Older reports without answers and clusters stay readable, and are shown and compared. */
    @Test
    void readsAReportWithoutTheFieldsThatCameLater() throws Exception {
        ReportFolder folder = new ReportFolder(directory);
        folder.write(SampleReport.create());
        Path file = directory.resolve("report.json");
        JsonMapper mapper = new JsonMapper();
        JsonNode json = mapper.readTree(file.toFile());
        json.path("suites").forEach(suite -> ((ObjectNode) suite).remove(List.of("answers", "cluster")));
        mapper.writeValue(file.toFile(), json);

        Report older = folder.read();

        assertThat(older.suites())
                .allMatch(suite -> suite.answers().isEmpty() && suite.cluster().isEmpty());
        assertThat(HtmlReport.render(older)).doesNotContain("class=\"map\"", "class=\"sources\"");
        assertThat(ReportDiff.of(older, SampleReport.create()).significant()).isEmpty();
    }

    @Test
    void leavesTheOlderFileWhenANewOneCannotBeWritten() throws Exception {
        ReportFolder folder = new ReportFolder(directory);
        folder.write(SampleReport.create());
        String before = Files.readString(directory.resolve("report.json"));
        // A folder takes the name of the new file, as a stand-in for a full disk.
        Files.createDirectories(directory.resolve(".report.json.new/x"));

        assertThatThrownBy(() -> folder.write(SampleReport.create())).isInstanceOf(IOException.class);

        assertThat(Files.readString(directory.resolve("report.json"))).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"schema": 3}                                     | schema version 3 (expected: 2); run the same again with this version of Nodepath
            {}                                                | schema version missing (expected: 2)
            []                                                | no JSON object (expected: a report)
            {"schema": 2, "suites": {}}                       | suites: {} (expected: a list)
            {"schema": 2, "suites": [7]}                      | suites[0]: 7 (expected: an object)
            {"schema": 2, "suites": [{"figures": 1}]}         | suites[0].figures: 1 (expected: a list)
            {"schema": 2, "suites": [], "title": 5}           | title: 5 (expected: a text)
            {"schema": 2, "suites": [], "partial": "x"}       | partial: "x" (expected: true or false)
            {"schema": 2, "suites": [], "partial": null}      | partial: null (expected: true or false)
            {"schema": 2, "suites": [], "started": "now"}     | started: "now" (expected: a time such as 2026-11-20T10:00:00Z)
            {"schema": 2, "suites": [], "environment": {"cores": 2}} | environment.facts: missing (expected: an object)
            {"schema": 2, "suites": [{"curves": [{"kind": "PIE"}]}]} | suites[0].curves[0].kind: "PIE" (expected: one of [LATENCY_PERCENTILES, SCALE_LOG_LOG])
            {"schema": 2, "environment": {"facts": {}, "cores": 2, "conditions": {"stolen": "x"}}} | environment.conditions.stolen: "x" (expected: a number)
            {"schema": 2, "environment": {"facts": {}, "cores": 2, "conditions": {"stolen": 0}}} | environment.conditions.loadAtStart: missing (expected: a number)
            {"schema": 2, "suites": [], "partial": false}     | title: missing (expected: a text)
            """)
    void saysWhatIsWrongWithAFileThatIsNoReport(String content, String expected) throws IOException {
        Path file = Files.writeString(directory.resolve("report.json"), content);

        assertThatThrownBy(() -> new ReportFolder(directory).read())
                .isInstanceOf(ReportException.class)
                .hasMessageStartingWith(file.toString())
                .hasMessageContaining(expected);
    }

    @Test
    void refusesTextThatIsNoJsonAndAFileThatIsNotThere() throws IOException {
        assertThatThrownBy(() -> new ReportFolder(directory).read())
                .isInstanceOf(ReportException.class)
                .hasMessageContaining("report.json: not found (expected: a folder with report.json");

        Files.writeString(directory.resolve("report.json"), "{\"schema\": 2, ");
        assertThatThrownBy(() -> new ReportFolder(directory).read())
                .isInstanceOf(ReportException.class)
                .hasMessageContaining("(expected: JSON)");
    }

    @Test
    void triesTheFolderBeforeItIsNeeded() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> new ReportFolder(file.resolve("below")).prepare())
                .isInstanceOf(IOException.class);

        Path folder = directory.resolve("made");
        new ReportFolder(folder).prepare();
        try (var files = Files.list(folder)) {
            assertThat(files.toList()).isEqualTo(List.of());
        }
    }
}
