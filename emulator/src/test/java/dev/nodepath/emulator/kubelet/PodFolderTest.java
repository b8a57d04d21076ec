package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PodFolderTest {
    @TempDir
    private Path cluster;

    @ParameterizedTest
    @ValueSource(strings = {"etc", "hosts", "volumes", "containers", "pause"})
    void aContainerMayHaveTheNameOfAnotherFileOfItsPod(String name) throws Exception {
        ObjectNode pod = (ObjectNode) new ObjectMapper().readTree("{\"metadata\": {\"name\": \"a\", \"uid\": \"1\"}}");
        PodFolder folder = PodFolder.of(cluster, pod);
        PodFiles files = folder.etc();
        files.write(pod, List.of(), Optional.empty());
        for (String volume : List.of("enter", "set-up", "network")) {
            Files.createDirectories(folder.volumes().resolve(volume));
        }
        PodPause pause = new PodPause(folder.pause(), files, () -> Path.of("/proc/self/ns/net"), "a", false);
        Path enter = new EntryScript(folder.container(name), pause, List.of(), ContainerLimits.NONE, Optional.empty())
                .write(Map.of(), "");
        assertThat(enter).isRegularFile().isEqualTo(folder.entryScript(name));
        assertThat(files.hosts()).isRegularFile();
        assertThat(files.hostname()).hasContent("a");
    }

    @Test
    void deletingFollowsNoLink() throws Exception {
        Path other = Files.createDirectories(cluster.resolve("other"));
        Files.writeString(other.resolve("file"), "");
        Path deleted = Files.createDirectories(cluster.resolve("deleted"));
        Files.writeString(Files.createDirectories(deleted.resolve("a/b")).resolve("file"), "");
        Files.createSymbolicLink(deleted.resolve("a/link"), other);
        Files.createSymbolicLink(deleted.resolve("dangling"), Path.of("nowhere"));
        for (int time = 0; time < 2; time++) {
            PodFolder.delete(deleted);
            assertThat(deleted).doesNotExist();
        }
        PodFolder.delete(deleted.resolve("deep/er"));
        assertThat(other.resolve("file")).exists();
    }
}
