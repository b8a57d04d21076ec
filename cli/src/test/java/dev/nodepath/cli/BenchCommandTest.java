package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.bench.suite.Suite;
import dev.nodepath.report.Conditions;
import dev.nodepath.report.Environment;
import dev.nodepath.report.Figure;
import dev.nodepath.report.Report;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import dev.nodepath.report.form.ReportFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchCommandTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            bench nothing                  | SUITE: "nothing" (expected: userspace, userspace-reno, iptables, nftables, scale, programming, start, soak, cni, churn, policy)
            bench cmi                      | scale, programming, start, soak, cni, churn, policy); did you mean cni?
            bench dif a b                  | ; did you mean diff?
            bench shwo a                   | ; did you mean show?
            bench --rounds=0               | --rounds: 0 (expected: 1 to 100)
            bench --peers=apache           | --peers: "apache" (expected: auto, none, or of haproxy,nginx,debian-cni)
            bench --kube-proxy=/nowhere    | --kube-proxy: /nowhere: not found (expected: an executable file)
            bench --report=/run/x          | --report: /run/x (expected: a folder outside /run
            bench --report=/proc/x         | --report: /proc/x cannot be written:
            bench --report=/etc/passwd     | --report: /etc/passwd is a file (expected: a folder
            bench show /nowhere            | /nowhere: not found (expected: a folder with report.json
            bench diff /nowhere /nowhere   | /nowhere: not found (expected: a folder with report.json
            enclosed-bench                 | not inside an enclosure
            """)
    void saysWhatIsWrongAndStartsNothing(String command, String expected) {
        assertThat(run(command.split(" ", -1))).isEqualTo(CommandException.WRONG_USAGE);
        assertThat(err.toString()).contains(expected).hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void helpNamesEverySuite() throws CommandException {
        assertThat(run("bench", "--help")).isZero();
        String help = out.toString().replaceAll("\\s+", " ");
        String names = new BenchOptions().suites().stream().map(Suite::name).collect(Collectors.joining(", "));
        assertThat(help).contains("Suites: " + names + ".");
    }

    @Test
    void showPrintsTablesMarkdownOrThePage() throws IOException {
        write("a", 10, 10.1, 10.2);

        assertThat(run("bench", "show", path("a"))).isZero();
        assertThat(out.toString()).contains("cni: Fine.", """
                ADD, ms
                  served    10.1  10.0 to 10.2     2 %
                """);

        out.getBuffer().setLength(0);
        assertThat(run("bench", "show", path("a"), "--format=md")).isZero();
        assertThat(out.toString()).isEqualTo(Files.readString(directory.resolve("a/report.md")));

        out.getBuffer().setLength(0);
        assertThat(run("bench", "show", path("a"), "--format=html")).isZero();
        assertThat(out.toString()).isEqualTo(Files.readString(directory.resolve("a/report.html")));
    }

    @Test
    void diffFailsOnlyAboveTheLimitAndBeyondTheSpread() throws IOException {
        write("a", 10, 10.1, 10.2);
        write("slower", 11.9, 12, 12.1);
        write("noisy", 10.1, 20, 30);

        assertThat(run("bench", "diff", path("a"), path("slower"))).isZero();
        assertThat(out.toString()).contains("+18.8 %  worse").contains("1 of 1 figures changed");
        assertThat(run("bench", "diff", path("a"), path("slower"), "--fail-above=20"))
                .isZero();
        assertThat(run("bench", "diff", path("a"), path("slower"), "--fail-above=15"))
                .isEqualTo(CommandException.FAILED);
        assertThat(run("bench", "diff", path("slower"), path("a"), "--fail-above=0"))
                .isZero();
        assertThat(run("bench", "diff", path("a"), path("noisy"), "--fail-above=0"))
                .isZero();
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            served, 1
            nftables with 5000, 1
            debian, 0
            kube-proxy-nftables, 0
            """)
    void diffFailsForFiguresOfNodepathOnly(String contender, int exitCode) throws IOException {
        write("a", contender, 10, 10.1, 10.2);
        write("slower", contender, 19, 20, 21);

        assertThat(run("bench", "diff", path("a"), path("slower"), "--fail-above=10"))
                .isEqualTo(exitCode);
    }

    @Test
    void diffRefusesReportsThatShareNoFigure() throws IOException {
        write("a", "served", 1, 2);
        write("b", "debian", 1, 2);

        assertThat(run("bench", "diff", path("a"), path("b"))).isEqualTo(CommandException.WRONG_USAGE);
        assertThat(err.toString())
                .contains("(expected: a report of the same suites)")
                .hasLineCount(1);
    }

    @Test
    void keepsTheReportOfTheRunBefore() throws IOException {
        write("a", 1, 2);
        String report = Files.readString(directory.resolve("a/report.json"));

        Path kept = new ReportFolder(directory.resolve("a")).keepEarlier().orElseThrow();

        assertThat(kept.resolve("report.json")).hasContent(report);
        assertThat(kept.getParent()).isEqualTo(directory.resolve("a/earlier"));
        assertThat(directory.resolve("a/report.json")).doesNotExist();
        assertThat(new ReportFolder(directory.resolve("a")).keepEarlier()).isEmpty();
    }

    @Test
    void refusesAReportOfAnotherSchemaVersion() throws IOException {
        write("a", 1);
        Path file = directory.resolve("a/report.json");
        Files.writeString(file, Files.readString(file).replace("\"schema\" : 2", "\"schema\" : 99"));

        assertThat(run("bench", "diff", path("a"), path("a"))).isEqualTo(CommandException.WRONG_USAGE);
        assertThat(err.toString())
                .contains("report.json: schema version 99 (expected: 2)")
                .hasLineCount(1);
    }

    private int run(String... arguments) {
        CommandLine commandLine = Nodepath.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private void write(String name, double... values) throws IOException {
        write(name, "served", values);
    }

    private void write(String name, String contender, double... values) throws IOException {
        Figure figure = new Figure("", "ADD", "ms", true, "", Map.of(contender, Samples.of(values)), Optional.empty());
        SuiteResult suite = new SuiteResult(
                "cni", "Fine.", List.of(figure), List.of(), List.of(), List.of(), Map.of(), "again", false);
        new ReportFolder(directory.resolve(name))
                .write(new Report(
                        "bench",
                        Instant.EPOCH,
                        Duration.ofSeconds(1),
                        new Environment(Map.of(), 2, new Conditions(0, 0, 0, 0, 0)),
                        List.of(suite),
                        false,
                        "again"));
    }
}
