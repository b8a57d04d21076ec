package dev.nodepath.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job, as a person starts it. */
@Tag("netns")
class CompareTest {
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--");

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

    @Test
    void carriesTrafficThroughEveryModeAndWritesTheReport() throws IOException, InterruptedException {
        NodepathScript.Result result = new NodepathScript(folder).run("compare", "--seconds=0.1", "--report=out");

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output())
                .containsPattern("(\\d+) of \\1 expectations met")
                .contains("pod, same node", "outside, NodePort")
                .doesNotContain("FAILED", "WARN", "Exception");
        for (String name : List.of("report.md", "report.json", "report.html")) {
            assertThat(folder.resolve("out").resolve(name)).isNotEmptyFile();
        }
        assertThat(Files.readString(folder.resolve("out/report.html"))).contains("<svg", "<rect");
    }

    @Test
    void needsNoRoot() throws IOException, InterruptedException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        boolean realRoot = Files.readString(Path.of("/proc/self/uid_map")).contains("4294967295");
        // An ordinary user who runs the tests is root only in a user namespace, where nobody else exists: it is the
        // case already.
        NodepathScript script =
                realRoot ? new NodepathScript(folder, installedCopy(), AS_NOBODY) : new NodepathScript(folder);

        NodepathScript.Result result = script.run("compare", "--seconds=0.1", "--report=out");

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(folder.resolve("out/report.html")).isNotEmptyFile();
    }

    /** An installation that everybody can read: the checkout may be in a home folder. */
    private Path installedCopy() throws IOException, InterruptedException {
        Path home = Path.of(System.getProperty("nodepath.home"));
        Path copy = Files.createDirectory(folder.resolve("installed"));
        Process cp = new ProcessBuilder(
                        "cp",
                        "-rL",
                        home.resolve("scripts").toString(),
                        copy.resolve("bin").toString())
                .start();
        assertThat(cp.waitFor()).isZero();
        cp = new ProcessBuilder(
                        "cp",
                        "-r",
                        home.resolve("target/lib").toString(),
                        copy.resolve("lib").toString())
                .start();
        assertThat(cp.waitFor()).isZero();
        assertThat(new ProcessBuilder("chmod", "-R", "a+rX", folder.toString())
                        .start()
                        .waitFor())
                .isZero();
        return copy.resolve("bin");
    }

    @Test
    void runsACommandInAPodWithoutRoot() throws IOException, InterruptedException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        boolean realRoot = Files.readString(Path.of("/proc/self/uid_map")).contains("4294967295");
        NodepathScript script =
                realRoot ? new NodepathScript(folder, installedCopy(), AS_NOBODY) : new NodepathScript(folder);

        NodepathScript.Result up = script.run("up");
        NodepathScript.Result exec = script.run("exec", "client-1", "--", "ip", "-4", "-o", "addr", "show", "eth0");
        NodepathScript.Result status = script.run("status");
        NodepathScript.Result down = script.run("down");

        assertThat(up.exitCode()).as(up.output()).isZero();
        assertThat(exec.output()).contains("10.244.1.");
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
                .contains("--report: /run/x (expected: not below /run")
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
                .contains("--seconds: 0.0 (expected: 0.1 to 60)")
                .hasLineCount(1);
    }
}
