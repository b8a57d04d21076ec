package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
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
    }

    private void require(String program) throws StartException {
        ContainerProgram.require(
                program,
                "/no/such:" + folder + "/bin",
                folder,
                List.of(PodVolumes.Mount.of(folder, "/scripts", true)),
                "redis:7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tool", "bin/tool", "./bin/tool", "/bin/sh", "/scripts/unknown"})
    void findsAProgramAsAContainerRuntimeDoes(String program) throws StartException {
        require(program);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        missing     | executable file not found in $PATH
        text        | executable file not found in $PATH
        sub         | executable file not found in $PATH
        ./missing   | stat ./missing: no such file or directory
        /scriptsets | stat /scriptsets: no such file or directory
        bin/text    | permission denied
        bin/sub     | is a directory
        """)
    void saysWhatIsMissingAsRuncDoes(String program, String problem) {
        assertThatThrownBy(() -> require(program))
                .hasMessage("exec: \"" + program + "\": " + problem + " (expected: a command of this machine, as image"
                        + " \"redis:7\" is not pulled; or none, for the built-in server)");
    }
}
