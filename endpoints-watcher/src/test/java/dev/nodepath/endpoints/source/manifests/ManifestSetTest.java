package dev.nodepath.endpoints.source.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.source.SourceStats;
import dev.nodepath.endpoints.source.objects.SkippedObjects;
import dev.nodepath.endpoints.tracker.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestSetTest {
    @TempDir
    Path folder;

    private final LogCapture log = new LogCapture(ManifestSource.class);
    private final LogCapture skippedLog = new LogCapture(SkippedObjects.class);
    private final SkippedObjects skipped = new SkippedObjects();

    @AfterEach
    void stopLogging() {
        log.close();
        skippedLog.close();
    }

    @Test
    void followsRewritingReplacingAddingAndRemoving() throws Exception {
        write("a.yaml", service("a"));
        ManifestSet set = load();
        assertThat(set.refresh()).isFalse();

        write("a.yaml", service("a", "b"));
        assertRefreshed(set, "a", "b");
        Files.writeString(folder.resolve(".tmp"), service("c"));
        Files.move(folder.resolve(".tmp"), folder.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE);
        assertRefreshed(set, "c");
        write("b.json", service("d"));
        assertRefreshed(set, "c", "d");
        Files.delete(folder.resolve("a.yaml"));
        assertRefreshed(set, "d");
        assertThat(set.refresh()).isFalse();
        assertThat(log.lines()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "apiVersion: v1\nkind: Service\nmetadata: {name: ",
                "{apiVersion: v1, kinds: Service, metadata: {name: a}}",
            })
    void whatBreaksStaysInForceAsItWasAndIsLoggedOnce(String broken) throws Exception {
        write("a.yaml", service("a"));
        write("b.yaml", service("b"));
        ManifestSet set = load();

        write("a.yaml", broken);
        write("b.yaml", service("b", "c"));
        assertRefreshed(set, "a", "b", "c");
        assertThat(set.refresh()).isFalse();
        write("a.yaml", broken);
        assertThat(set.refresh()).isFalse();
        assertThat(log.lines()).singleElement().asString().matches("file=.*/a.yaml reason=.* manifest.rejected");

        write("a.yaml", broken + " ");
        assertThat(set.refresh()).isFalse();
        assertThat(log.lines("manifest.rejected")).hasSize(2);

        write("a.yaml", service("a2"));
        assertRefreshed(set, "a2", "b", "c");
        set.refresh();
        assertThat(log.lines("manifest.accepted")).singleElement().asString().contains("a.yaml");
    }

    @Test
    void aBadObjectIsLeftOutAloneNamedOnceAndCounted() throws Exception {
        String bad = service("bad").replace("80", "70000");
        write("a.yaml", service("a") + bad + "---\n{kind: Service}\n" + service("b"));
        ManifestSet set = load();
        assertThat(names(set)).containsExactlyInAnyOrder("a", "bad", "b");
        assertThat(set.inForce().services().get(1).ports()).isEmpty();
        String inFile = " object=" + folder.resolve("a.yaml") + ": ";
        assertThat(skippedLog.lines())
                .containsExactlyInAnyOrder(
                        "kind=Manifest" + inFile
                                + "document 3 problem=apiVersion: missing (expected: a string) problems=1"
                                + " source.object_skipped",
                        "kind=Service" + inFile
                                + "document 2: Service default/bad problem=spec.ports[0].port: 70000 (expected: 1 to 65535)"
                                + " problems=1 source.object_skipped");

        write("a.yaml", service("c") + bad);
        assertRefreshed(set, "c", "bad");
        assertThat(skippedLog.lines()).hasSize(2);
        assertThat(skipped.counts())
                .containsExactly(
                        new SourceStats.Skipped("Manifest", "apiVersion", 1),
                        new SourceStats.Skipped("Service", "spec.ports.port", 2));

        write("a.yaml", service("c", "bad"));
        set.refresh();
        write("a.yaml", service("c") + bad);
        set.refresh();
        assertThat(skippedLog.lines()).hasSize(3);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void ofAnObjectThatIsTwiceInOneFileTheFirstCounts() throws Exception {
        write("a.yaml", service("a", "b") + service("a").replace("10.96.0.1", "10.96.0.2"));
        ManifestSet set = load();

        assertThat(names(set)).containsExactly("a", "b");
        assertThat(set.inForce().services().get(0).ports().get(0).clusterIps()).hasToString("[10.96.0.1]");
        assertThat(skippedLog.lines())
                .singleElement()
                .asString()
                .contains("already in")
                .contains("line 2");
    }

    @Test
    void aBrokenFileThatIsRemovedTakesItsObjectsWithIt() throws Exception {
        write("a.yaml", service("a"));
        ManifestSet set = load();
        write("a.yaml", "{");
        set.refresh();
        Files.delete(folder.resolve("a.yaml"));

        assertRefreshed(set);
    }

    @Test
    void aNewFileThatIsBrokenWaits() throws Exception {
        write("a.yaml", service("a"));
        ManifestSet set = load();
        write("b.yaml", "{");
        assertThat(set.refresh()).isFalse();
        assertThat(log.lines("manifest.rejected")).hasSize(1);
        write("b.yaml", service("b"));

        assertRefreshed(set, "a", "b");
    }

    @Test
    void anObjectMayMoveFromFileToFileInAnyOrder() throws Exception {
        write("a.yaml", service("x", "a"));
        write("b.yaml", service("b"));
        ManifestSet set = load();

        write("b.yaml", service("b", "x"));
        assertThat(set.refresh()).isFalse();
        set.refresh();
        assertThat(log.lines())
                .containsExactly("file=" + folder.resolve("b.yaml") + " reason=Service default/x: already in "
                        + folder.resolve("a.yaml") + " (expected: each object once) manifest.rejected");
        write("a.yaml", service("a", "a2"));
        assertRefreshed(set, "a", "a2", "b", "x");
        assertThat(log.lines("manifest.accepted")).hasSize(1);

        write("a.yaml", service("x"));
        write("b.yaml", service("a"));
        assertRefreshed(set, "a", "x");
    }

    @Test
    void aFallbackThatClashesWithANewcomerStays() throws Exception {
        write("a.yaml", service("a"));
        write("b.yaml", service("b"));
        ManifestSet set = load();
        write("a.yaml", service("b"));
        write("b.yaml", "{");

        assertThat(set.refresh()).isFalse();
        assertThat(names(set)).containsExactlyInAnyOrder("a", "b");
        assertThat(log.lines("manifest.rejected")).hasSize(2);
    }

    @Test
    void ofTwoNewFilesWithOneObjectTheFirstHasIt() throws Exception {
        ManifestSet set = load();
        write("b.yaml", service("x", "b"));
        write("a.yaml", service("x", "a"));

        assertRefreshed(set, "x", "a");
        assertThat(log.lines()).singleElement().asString().contains("file=" + folder.resolve("b.yaml"));
    }

    @Test
    void aFolderThatIsLostKeepsItsObjects() throws Exception {
        Path sub = Files.createDirectory(folder.resolve("sub"));
        write("sub/a.yaml", service("a"));
        ManifestSet set = ManifestSet.load(List.of(sub), Clock.systemUTC(), skipped);
        Files.move(sub, folder.resolve("elsewhere"));

        assertThat(set.refresh()).isFalse();
        assertThat(set.refresh()).isFalse();
        assertThat(names(set)).containsExactly("a");
        assertThat(log.lines()).containsExactly("file=" + sub + " reason=no such folder manifest.rejected");

        Files.move(folder.resolve("elsewhere"), sub);
        write("sub/a.yaml", service("b"));
        assertRefreshed(set, "b");
        assertThat(log.lines("manifest.accepted")).hasSize(1);
    }

    @Test
    void aNamedFileMayGoAndComeBack() throws Exception {
        Path file = write("a.yaml", service("a"));
        ManifestSet set = ManifestSet.load(List.of(file, folder), Clock.systemUTC(), skipped);
        Files.delete(file);
        assertRefreshed(set);
        write("a.yaml", service("b"));

        assertRefreshed(set, "b");
    }

    /** With the clock far ahead every file counts as settled, so only its inode, ctime and size tell of a change. */
    @Test
    void noticesChangesOfSettledFiles() throws Exception {
        write("a.yaml", service("a"));
        ManifestSet set =
                ManifestSet.load(List.of(folder), Clock.offset(Clock.systemUTC(), Duration.ofHours(1)), skipped);
        assertThat(set.refresh()).isFalse();
        write("next", service("b"));
        Files.setLastModifiedTime(folder.resolve("next"), Files.getLastModifiedTime(folder.resolve("a.yaml")));
        Files.move(folder.resolve("next"), folder.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE);

        assertRefreshed(set, "b");
    }

    @Test
    void startsOnlyIfAllIsRight() throws Exception {
        Path none = folder.resolve("none");
        assertThatThrownBy(() -> ManifestSet.load(List.of(none), Clock.systemUTC(), skipped))
                .hasMessage(none + ": no such file or folder");
        write("a.yaml", service("x"));
        write("b.yaml", service("x"));
        assertThatThrownBy(this::load)
                .hasMessageStartingWith(folder.resolve("b.yaml") + ": Service default/x: already in ");
        write("b.yaml", "{");
        assertThatThrownBy(this::load).hasMessageStartingWith(folder.resolve("b.yaml") + ": line 1, column 2: ");
    }

    private ManifestSet load() throws ManifestException {
        return ManifestSet.load(List.of(folder), Clock.systemUTC(), skipped);
    }

    private static void assertRefreshed(ManifestSet set, String... services) {
        assertThat(set.refresh()).isTrue();
        assertThat(names(set)).containsExactlyInAnyOrder(services);
    }

    private static List<String> names(ManifestSet set) {
        return set.inForce().services().stream()
                .map(Service::name)
                .map(name -> name.name())
                .toList();
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static String service(String... names) {
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            text.append("---\n{apiVersion: v1, kind: Service, metadata: {name: ")
                    .append(name)
                    .append("}, spec: {clusterIP: 10.96.0.1, ports: [{port: 80}]}}\n");
        }
        return text.toString();
    }
}
