package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of the machine that no container has. */
class ContainerPathsTest {
    @TempDir
    private Path folder;

    @Test
    void hidesTheHomeOfTheUserAndTheFolderOfClusters() throws IOException {
        Path home = Files.createDirectory(folder.resolve("home"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), home);
        Path runtime = Files.createDirectory(folder.resolve("runtime"));
        Path state = Files.createDirectory(folder.resolve("state"));
        Path cluster = Files.createDirectories(folder.resolve("clusters/default"));
        assertThat(ContainerPaths.own(Map.of(
                        "HOME", link.toString(),
                        "XDG_RUNTIME_DIR", runtime.toString(),
                        "XDG_STATE_HOME", state.toString(),
                        "NODEPATH_FOLDER", cluster.toString())))
                .contains(home.toRealPath(), runtime.toRealPath(), state.toRealPath())
                .contains(folder.resolve("clusters").toRealPath())
                .contains(Path.of("/home"), Path.of("/root"), Path.of("/run"));
    }

    /** Users of daemons have such homes. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/bin", "/usr", "/etc", "/tmp", "/nonexistent", "relative", "."})
    void hidesNothingThatContainersNeed(String home) {
        assertThat(ContainerPaths.own(Map.of("HOME", home))).isEqualTo(ContainerPaths.own(Map.of()));
    }
}
