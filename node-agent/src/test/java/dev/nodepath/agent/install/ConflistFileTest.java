package dev.nodepath.agent.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900)
class ConflistFileTest {
    @TempDir
    private Path root;

    private Path folder = Path.of("/");
    private ConflistFile file = new ConflistFile(folders());

    private HostFolders folders() {
        return new HostFolders(
                root == null ? Path.of("/") : root,
                Path.of("/opt/nodepath"),
                Path.of("/opt/cni/bin"),
                Path.of("/etc/cni/net.d"));
    }

    @BeforeEach
    void open() {
        folder = root.resolve("etc/cni/net.d");
        file = new ConflistFile(folders());
    }

    @Test
    void writesOnlyWhatChanged() throws Exception {
        assertThat(file.exists()).isFalse();
        assertThat(file.write("{}")).isTrue();
        assertThat(file.exists()).isTrue();
        Path written = folder.resolve(ConflistFile.NAME);
        assertThat(written).hasContent("{}\n");
        Files.setLastModifiedTime(written, FileTime.from(Instant.EPOCH));

        assertThat(file.write("{}")).isFalse();
        assertThat(Files.getLastModifiedTime(written).toInstant()).isEqualTo(Instant.EPOCH);
        assertThat(file.write("{\"a\":1}")).isTrue();
        assertThat(written).hasContent("{\"a\":1}\n");
        assertThat(folder.toFile().list()).containsExactly(ConflistFile.NAME);
    }

    /** The leftovers of an agent that was killed between the two steps. */
    @Test
    void finishesAWriteThatWasCutShort() throws Exception {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(ConflistFile.NAME), "{}");
        Files.writeString(folder.resolve("." + ConflistFile.NAME + ".nodepath-new"), "{\"half");
        assertThat(file.write("{}")).isTrue();
        assertThat(folder.resolve(ConflistFile.NAME)).hasContent("{}\n");
        assertThat(file.write("{\"a\":1}")).isTrue();
        assertThat(folder.toFile().list()).containsExactly(ConflistFile.NAME);
    }

    /**
     * containerd does not look when a file merely appears: the last thing it is told has to be a write to the final
     * name.
     */
    @Test
    void theLastEventOfTheFolderIsAWriteOfTheFile() throws Exception {
        Files.createDirectories(folder);
        try (WatchService watch = FileSystems.getDefault().newWatchService()) {
            folder.register(
                    watch,
                    StandardWatchEventKinds.ENTRY_CREATE,
                    StandardWatchEventKinds.ENTRY_MODIFY,
                    StandardWatchEventKinds.ENTRY_DELETE);
            file.write("{}");
            List<String> events = new ArrayList<>();
            String last = "ENTRY_MODIFY " + ConflistFile.NAME;
            while (!events.contains(last)) {
                WatchKey key = watch.poll(5, TimeUnit.MINUTES);
                assertThat(key).as("events so far: %s", events).isNotNull();
                for (WatchEvent<?> event : key.pollEvents()) {
                    events.add(event.kind() + " " + event.context());
                }
                key.reset();
            }
            assertThat(events.get(events.size() - 1)).isEqualTo(last);
            assertThat(events.indexOf("ENTRY_CREATE " + ConflistFile.NAME)).isLessThan(events.indexOf(last));
        }
    }

    @Test
    void namesTheConfigurationThatIsTakenInstead() throws Exception {
        assertThat(file.takenInstead()).isEmpty();
        file.write("{}");
        Files.writeString(folder.resolve("00-readme.txt"), "");
        Files.writeString(folder.resolve(".00-hidden.conflist"), "");
        Files.writeString(folder.resolve("20-other.conflist"), "");
        assertThat(file.takenInstead()).isEmpty();
        Files.writeString(folder.resolve("05-kindnet.conf"), "");
        Files.writeString(folder.resolve("07-cilium.conflist"), "");
        assertThat(file.takenInstead()).contains("05-kindnet.conf");
    }

    @Test
    void namesTheFolderThatCannotBeWritten() throws IOException {
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(root.resolve("etc/cni"), "a file");
        assertThatThrownBy(() -> file.write("{}"))
                .hasMessageStartingWith("--cni-conf-dir " + folder + ": ")
                .hasMessageEndingWith(" (expected: a writable folder of the node)");
    }
}
