package dev.nodepath.agent.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassDataArchiveTest {
    private static final Path VERSION = Path.of("/opt/nodepath/1.2");
    private static final String ARCHIVE = "lib/nodepath-bridge.jsa";

    private final List<String> commands = new ArrayList<>();

    @TempDir
    private Path folder;

    private HostFolders folders(Path root) {
        return new HostFolders(root, Path.of("/opt/nodepath"), Path.of("/opt/cni/bin"), Path.of("/etc/cni/net.d"));
    }

    /** Writes the archive to this place, like the script. */
    private HostCommand writing(Path archive) {
        return (command, environment, limit) -> {
            commands.add(String.join(" ", command) + " " + environment);
            Files.createDirectories(archive.resolveSibling("."));
            Files.writeString(archive, "classes");
            return "";
        };
    }

    @Test
    void isMadeInAChrootWhereTheNodeIsMounted() throws Exception {
        Path archive = folder.resolve("opt/nodepath/1.2").resolve(ARCHIVE);
        ClassDataArchive making = new ClassDataArchive(folders(folder), writing(archive));
        assertThat(making.make(VERSION)).isTrue();
        assertThat(commands)
                .containsExactly("chroot " + folder + " /opt/nodepath/1.2/bin/archive {NODEPATH_CNI_SOCKET=/dev/null}");
    }

    @Test
    void isMadeWithoutChrootWhereTheNodesFilesAreOurs() throws Exception {
        ClassDataArchive making = new ClassDataArchive(folders(Path.of("/")), writing(folder.resolve(ARCHIVE)));
        assertThat(making.make(folder)).isTrue();
        assertThat(commands).containsExactly(folder + "/bin/archive {NODEPATH_CNI_SOCKET=/dev/null}");
    }

    @Test
    void isMadeOnce() throws Exception {
        ClassDataArchive making = new ClassDataArchive(folders(Path.of("/")), writing(folder.resolve(ARCHIVE)));
        assertThat(making.make(folder)).isTrue();
        assertThat(making.make(folder)).isFalse();
        assertThat(commands).hasSize(1);
    }

    @Test
    void saysWhatTheScriptPrintedIfItMadeNone() {
        ClassDataArchive making = new ClassDataArchive(
                folders(Path.of("/")), (command, environment, limit) -> "archive: java:\nnot found\n");
        assertThatThrownBy(() -> making.make(folder))
                .isInstanceOf(IOException.class)
                .hasMessage(folder.resolve(ARCHIVE) + ": not made: archive: java: not found");
    }

    @Test
    void isTriedAgainAfterTheScriptFailed() throws Exception {
        ClassDataArchive failing = new ClassDataArchive(folders(Path.of("/")), (command, environment, limit) -> {
            throw new IOException(command.get(0) + ": exit code 1: no space left");
        });
        assertThatThrownBy(() -> failing.make(folder)).hasMessage(folder + "/bin/archive: exit code 1: no space left");
        ClassDataArchive making = new ClassDataArchive(folders(Path.of("/")), writing(folder.resolve(ARCHIVE)));
        assertThat(making.make(folder)).isTrue();
    }
}
