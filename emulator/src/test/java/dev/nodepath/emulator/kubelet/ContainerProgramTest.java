package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerProgramTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectories(folder.resolve("bin/sub"));
        Files.createFile(folder.resolve("bin/text"));
        Files.createSymbolicLink(folder.resolve("bin/tool"), Path.of("/bin/sh"));
        Files.createSymbolicLink(folder.resolve("bin/own"), Path.of("/scripts/bin/plain"));
        Files.createSymbolicLink(folder.resolve("bin/way"), Path.of("../../scripts/bin"));
        Files.createSymbolicLink(folder.resolve("bin/round"), Path.of("round"));
        Files.createSymbolicLink(folder.resolve("bin/key"), Path.of("/root/key"));
        executable("script", "#! /bin/sh -e\n");
        executable("windows", "#!/bin/sh\r\n");
        executable("lost", "#!/opt/none\n");
        executable("plain", "echo\n");
        executable("empty", "");
        executable("late", "#!\n/bin/sh\n");
        executable("nul", "#!/bin/sh\0x\n");
        executable("folder", "#!/scripts/bin/sub\n");
        executable("unready", "#!/scripts/bin/text\n");
        executable("near", "#!bin/tool\n");
        executable("unread", "#!/scripts/bin/script\n");
        Files.setPosixFilePermissions(folder.resolve("bin/unread"), PosixFilePermissions.fromString("--x--x--x"));
        executable("foreign", "#!/scripts/bin/unread\n");
    }

    /** To read from it waits for a writer. */
    @BeforeEach
    void makePipe() throws IOException, InterruptedException {
        String pipe = folder.resolve("bin/pipe").toString();
        assertThat(new ProcessBuilder("mkfifo", "--mode=755", pipe).start().waitFor())
                .isZero();
    }

    private void executable(String name, String content) throws IOException {
        Path file = Files.writeString(folder.resolve("bin").resolve(name), content);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private List<String> command(String program) throws StartException, IOException {
        return new ContainerProgram(List.of(
                        PodVolumes.Mount.of(folder, "/scripts", true),
                        new PodVolumes.Mount(folder, Path.of("bin/text"), "/scripts/bin/hidden", true)))
                .command(List.of(program, "a"), "/no/such:" + folder + "/bin", folder, "redis:7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tool",
                "script",
                "nul",
                "near",
                "unread",
                "foreign",
                "bin/tool",
                "./bin/tool",
                "/bin/sh",
                "/scripts/bin/tool",
                "/scripts/bin/../bin/./script",
                "/scripts/bin/way/script",
                "/dev/shm/unknown"
            })
    void findsAProgramAsAContainerRuntimeDoes(String program) throws Exception {
        assertThat(command(program)).containsExactly(program, "a");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        missing              | executable file not found in $PATH
        text                 | executable file not found in $PATH
        sub                  | executable file not found in $PATH
        ./missing            | stat ./missing: no such file or directory
        /scriptsets          | stat /scriptsets: no such file or directory
        bin/text             | permission denied
        bin/sub              | is a directory
        /scripts             | is a directory
        /scripts/bin/text    | permission denied
        /scripts/bin/hidden  | permission denied
        /scripts/unknown     | stat /scripts/unknown: no such file or directory
        /scripts/bin/key     | stat /scripts/bin/key: no such file or directory
        /scripts/bin/round   | stat /scripts/bin/round: no such file or directory
        /scripts/bin/pipe    | permission denied
        """)
    void saysWhatIsMissingAsRuncDoes(String program, String problem) {
        assertThatThrownBy(() -> command(program))
                .hasMessage("exec: \"" + program + "\": " + problem + " (expected: a command of this machine, as image"
                        + " \"redis:7\" is not pulled; or none, for the built-in server)");
    }

    /** Without a command, other arguments are for the image's own program. */
    @ParameterizedTest
    @CsvSource({
        "sh, true",
        "/bin/sh, true",
        "/usr/bin/../bin/env, true",
        "none, false",
        "/no-such-entrypoint.sh, false",
        "/etc/passwd, false",
        "/usr/bin, false",
        "., false",
        "/, false",
        "bin/sh, false",
        "./sh, false",
        "/proc/self/exe, false",
        "'', false"
    })
    void anArgumentIsAProgramOfThisMachine(String word, boolean isHere) {
        assertThat(ContainerProgram.isHere(word)).isEqualTo(isHere);
    }

    /** The container's PATH may have no shell. */
    @Test
    void whatNamesAFileInTheLogIsFoundWithoutThePath() throws Exception {
        assertThat(command("plain"))
                .startsWith("/bin/sh", "-c")
                .endsWith(folder.resolve("bin/plain").toString(), "exec format error");
    }

    /** A script with line ends of Windows is well known. */
    @ParameterizedTest
    @CsvSource({
        "/scripts/bin/windows, no such file or directory",
        "/scripts/bin/lost, no such file or directory",
        "/scripts/bin/folder, permission denied",
        "/scripts/bin/unready, permission denied",
        "/scripts/bin/plain, exec format error",
        "/scripts/bin/own, exec format error",
        "/scripts/bin/late, exec format error",
        "bin/../bin/empty, exec format error"
    })
    void aFileThatTheKernelDoesNotExecuteIsNamedInTheLog(String program, String problem) throws Exception {
        ShortCommand run = ShortCommand.run(
                new ProcessBuilder(command(program)).redirectErrorStream(true), "", Duration.ofMinutes(5));
        assertThat(run.output()).isEqualTo("exec " + program + ": " + problem + "\n");
        assertThat(run.exitCode()).isEqualTo(255);
    }
}
