package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlGroupsTest {
    /** A group that was just made has no process yet. */
    @Test
    void removesOnlyOldGroupsWithoutProcesses(@TempDir Path parent) throws Exception {
        for (String name : List.of("nodepath-1000-a", "nodepath-2000-b", "nodepath-x", "other-1-c")) {
            Files.createDirectory(parent.resolve(name));
        }
        Files.createFile(
                Files.createDirectory(parent.resolve("nodepath-1000-used")).resolve("process"));
        ControlGroups.sweep(parent, Instant.ofEpochSecond(1500));
        assertThat(parent.toFile().list())
                .containsExactlyInAnyOrder("nodepath-2000-b", "nodepath-x", "other-1-c", "nodepath-1000-used");
    }
}
