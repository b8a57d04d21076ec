package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Repetitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main task, as a user starts it. */
@Tag("netns")
@Tag("timing")
class CompareTest {
    /** For a machine with a mount below a folder that this user cannot read, such as docker's. */
    private static final List<String> AS_NOBODY = List.of("unshare", "--mount", "sh", "-ec", """
                mount -t tmpfs none /srv
                mkdir -m 700 /srv/unreadable
                mkdir /srv/unreadable/mounted
                mount -t tmpfs none /srv/unreadable/mounted
                exec setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
                """, "sh");

    @TempDir
    private static Path shared;

    private static Optional<Path> installed = Optional.empty();
    private static Optional<NodepathScript.Result> comparedWithoutRoot = Optional.empty();

    @TempDir
    private Path folder;

    private String before = "";

    @BeforeEach
    void rememberHost() throws IOException, InterruptedException {
        before = NodepathScript.hostState();
    }

    @AfterEach
    void hostIsAsItWas() throws IOException, InterruptedException {
        assertThat(NodepathScript.hostState()).isEqualTo(before);
        assertThat(NodepathScript.clusterProcesses()).isEmpty();
    }

    /** The run of an ordinary user also shows what root's run would show. */
    @Test
    void carriesTrafficThroughEveryModeAndWritesTheReport() throws IOException, InterruptedException {
        boolean own = Repetitions.areWhole();
        NodepathScript.Result result = own ? compare(new NodepathScript(folder)) : compareWithoutRoot();
        Path report = (own ? folder : shared).resolve("out");

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output())
                .containsPattern("(\\d+) of \\1 expectations met")
                .contains("pod, same node", "outside, NodePort")
                .doesNotContain("FAILED", "Exception");
        assertThat(result.output().lines().filter(line -> line.contains("WARN")))
                .as("warnings; a busy machine may renew a node's Lease too late")
                .allMatch(line -> line.contains("node.unknown"));
        for (String name : List.of("report.md", "report.json", "report.html")) {
            assertThat(report.resolve(name)).isNotEmptyFile();
        }
        assertThat(Files.readString(report.resolve("report.html")))
                .contains("<rect", "class=\"map\"", ">client-1<", "userspace, kept</b> shows backends the sender");
    }

    @Test
    void needsNoRoot() throws IOException, InterruptedException {
        NodepathScript.Result result = compareWithoutRoot();

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(shared.resolve("out/report.html")).isNotEmptyFile();
    }

    private static NodepathScript.Result compare(NodepathScript script) throws IOException, InterruptedException {
        return script.run("compare", "--seconds=0.05", "--report=out");
    }

    /** Once for all tests. */
    private static NodepathScript.Result compareWithoutRoot() throws IOException, InterruptedException {
        if (comparedWithoutRoot.isEmpty()) {
            comparedWithoutRoot = Optional.of(compare(withoutRoot(shared)));
        }
        return comparedWithoutRoot.get();
    }

    /**
     * Runs as an ordinary user with this folder. If the tester is root only in a user namespace, there are no other
     * users, and the case is given already.
     */
    private static NodepathScript withoutRoot(Path folder) throws IOException, InterruptedException {
        // As /tmp is: others may write, and not rename.
        Files.setAttribute(folder, "unix:mode", 01777);
        boolean realRoot = Files.readString(Path.of("/proc/self/uid_map")).contains("4294967295");
        if (!realRoot) {
            return new NodepathScript(folder);
        }
        List<String> user = new ArrayList<>(AS_NOBODY);
        user.addAll(
                List.of("env", "--unset=XDG_RUNTIME_DIR", "--unset=XDG_STATE_HOME", "HOME=" + folder.resolve("home")));
        return new NodepathScript(folder, installedCopy(), user);
    }

    /** An installation that everybody can read: the checkout may be in a home folder. Once for all tests. */
    private static Path installedCopy() throws IOException, InterruptedException {
        if (installed.isEmpty()) {
            Path home = Path.of(System.getProperty("nodepath.home"));
            Path copy = Files.createDirectory(shared.resolve("installed"));
            run(
                    "cp",
                    "-rL",
                    home.resolve("scripts").toString(),
                    copy.resolve("bin").toString());
            run(
                    "cp",
                    "-r",
                    home.resolve("target/lib").toString(),
                    copy.resolve("lib").toString());
            run("chmod", "-R", "a+rX", shared.toString());
            installed = Optional.of(copy.resolve("bin"));
        }
        return installed.get();
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    }

    @Test
    void runsACommandInAPodWithoutRoot() throws IOException, InterruptedException {
        NodepathScript script = withoutRoot(folder);

        NodepathScript.Result up = script.run("up");
        NodepathScript.Result exec = script.run("exec", "client-1", "--", "ip", "-4", "-o", "addr", "show", "eth0");
        NodepathScript.Result status = script.run("status");
        NodepathScript.Result down = script.run("down");

        assertThat(up.exitCode()).as(up.output()).isZero();
        assertThat(exec.output()).as(up.output()).contains("10.244.1.");
        assertThat(status.output()).contains("web-1");
        assertThat(down.exitCode()).as(down.output()).isZero();
    }

    @Test
    void refusesAReportFolderThatIsAFile() throws IOException, InterruptedException {
        Files.writeString(folder.resolve("taken"), "x");

        NodepathScript.Result result = new NodepathScript(folder).run("compare", "--report=taken");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.output())
                .contains("taken is a file (expected: a folder")
                .hasLineCount(1);
    }

    @Test
    void refusesAReportFolderBelowRun() throws IOException, InterruptedException {
        NodepathScript.Result result = new NodepathScript(folder).run("compare", "--report=/run/x");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.output())
                .contains("--report: /run/x (expected: a folder outside /run")
                .hasLineCount(1);
    }

    @Test
    void refusesToWorkOutsideAnEnclosure() throws IOException, InterruptedException {
        for (String command : List.of("enclosed-compare", "enclosed-cluster")) {
            NodepathScript.Result result = new NodepathScript(folder).run(command);

            assertThat(result.exitCode()).isEqualTo(2);
            assertThat(result.output()).contains("not inside an enclosure").hasLineCount(1);
        }
    }

    @Test
    void refusesALengthThatMakesNoSense() throws IOException, InterruptedException {
        NodepathScript.Result result = new NodepathScript(folder).run("compare", "--seconds=0");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.output())
                .contains("--seconds: 0.0 (expected: 0.05 to 60)")
                .hasLineCount(1);
    }
}
