package dev.nodepath.report.form;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class OwnFolderTest {
    private static final String SECRET = "of the victim";
    private static final int SOMEBODY = 61234;

    @TempDir
    private Path directory;

    private Path victims = Path.of("");

    @BeforeEach
    void prepare() throws IOException {
        victims = Files.writeString(directory.resolve("victims"), SECRET);
    }

    @ParameterizedTest
    @CsvSource({
        "rwx------, true, true",
        "rwxr-xr-x, false, true",
        "rwxrwxrwx, false, false",
        "rwx----w-, false, false",
        "rwx-wx--x, false, true",
        "rwx--x---, false, true",
    })
    void takesAFolderThatOthersCannotChange(String mode, boolean isPrivate, boolean readable) throws IOException {
        Path folder = folder("made", mode);
        // A group of the user's name is the user's own.
        boolean own = Files.getAttribute(folder, "unix:gid").equals(0);
        check(folder, OwnFolder.Access.PRIVATE, isPrivate);
        check(folder, OwnFolder.Access.READABLE, readable && (own || !mode.contains("-wx--x")));
    }

    private static void check(Path folder, OwnFolder.Access access, boolean taken) throws IOException {
        if (taken) {
            OwnFolder.open(folder, access).close();
            OwnFolder.make(folder, access).close();
        } else {
            assertThatThrownBy(() -> OwnFolder.open(folder, access))
                    .isInstanceOf(OwnFolder.RefusedException.class)
                    .hasMessageStartingWith(folder + ": mode ");
            assertThatThrownBy(() -> OwnFolder.make(folder, access)).isInstanceOf(OwnFolder.RefusedException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesAFolderOfSomebodyElse(OwnFolder.Access access) throws IOException {
        Path folder = folder("made", "rwx------");
        giveAway(folder);
        assertThatThrownBy(() -> OwnFolder.make(folder, access))
                .isInstanceOf(OwnFolder.RefusedException.class)
                .hasMessageContaining(folder + ": belongs to ");
    }

    /** As after {@code su}, which keeps the XDG_RUNTIME_DIR of the user before. */
    @Test
    void saysWhoseAFolderIsThatCannotBeRead() throws IOException, InterruptedException {
        Path folder = Path.of("/root");
        assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0), "only root becomes somebody else");
        assumeTrue(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))
                .endsWith("------"));
        String classes = System.getProperty("java.class.path");
        assumeTrue(bySomebody("test", "-r", classes.split(":", -1)[0]).waitFor() == 0);
        Process process = bySomebody(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes,
                Somebody.class.getName(),
                folder.toString());
        assertThat(new String(process.getInputStream().readAllBytes(), UTF_8))
                .isEqualTo("/root: belongs to root (expected: a folder of " + SOMEBODY + ")");
    }

    private static Process bySomebody(String... command) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("setpriv", "--reuid=" + SOMEBODY, "--regid=" + SOMEBODY, "--clear-groups", "--"));
        words.addAll(List.of(command));
        return new ProcessBuilder(words).redirectErrorStream(true).start();
    }

    /** Opens a folder, and prints why it is refused. */
    static final class Somebody {
        private Somebody() {}

        public static void main(String[] arguments) throws IOException {
            try {
                OwnFolder.open(Path.of(arguments[0]), OwnFolder.Access.READABLE).close();
            } catch (OwnFolder.RefusedException e) {
                System.out.print(e.getMessage());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesALinkToAFolder(OwnFolder.Access access) throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), folder("made", "rwx------"));
        assertThatThrownBy(() -> OwnFolder.make(link, access))
                .isInstanceOf(OwnFolder.RefusedException.class)
                .hasMessage(link + ": a link (expected: a folder of yours)");
        Path dangling = Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nothing"));
        assertThatThrownBy(() -> OwnFolder.make(dangling, access)).isInstanceOf(OwnFolder.RefusedException.class);
        assertThat(directory.resolve("nothing")).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource
    void refusesAFile(OwnFolder.Access access) {
        assertThatThrownBy(() -> OwnFolder.make(victims, access)).isInstanceOf(OwnFolder.RefusedException.class);
        assertThatThrownBy(() -> OwnFolder.open(directory.resolve("none"), access))
                .isInstanceOf(NoSuchFileException.class);
    }

    /** A user who can rename a parent could put another folder there after the check. */
    @Test
    void refusesAWayThatOthersCanLeadElsewhere() throws IOException {
        Path writable = folder("writable", "rwxrwxrwx");
        assertThatThrownBy(() -> OwnFolder.make(writable.resolve("made"), OwnFolder.Access.PRIVATE))
                .isInstanceOf(OwnFolder.RefusedException.class)
                .hasMessageContaining(writable + ": mode rwxrwxrwx, so others may rename what is in it (expected: ");
        Path way = folder("way", "rwx------");
        Path made = Files.createDirectory(
                way.resolve("made"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        // A link of one's own is as good as a folder.
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("link2/../way"));
        Files.createSymbolicLink(directory.resolve("link2"), way);
        OwnFolder.open(link.resolve("made"), OwnFolder.Access.PRIVATE).close();
        giveAway(way);
        assertThatThrownBy(() -> OwnFolder.open(made, OwnFolder.Access.PRIVATE))
                .isInstanceOf(OwnFolder.RefusedException.class)
                .hasMessageMatching(way + ": belongs to 61234 \\(expected: \\S+ or root\\)");
    }

    @Test
    void takesAFolderInOneThatIsSticky() throws IOException {
        Path sticky = folder("sticky", "rwxrwxrwx");
        Files.setAttribute(sticky, "unix:mode", 01777);
        OwnFolder.make(sticky.resolve("made"), OwnFolder.Access.PRIVATE).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", ".file.new"})
    void writesThroughNoLink(String name) throws IOException {
        Path folder = folder("made", "rwx------");
        Files.createSymbolicLink(folder.resolve(name), victims);
        try (OwnFolder own = OwnFolder.open(folder, OwnFolder.Access.PRIVATE)) {
            own.replace("file", "new");
            assertThat(own.read("file")).contains("new");
        }
        assertThat(victims).hasContent(SECRET);
        assertThat(folder.resolve("file")).isRegularFile().hasContent("new");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("file"))))
                .isEqualTo("rw-------");
    }

    @Test
    void readsThroughNoLink() throws IOException {
        Path folder = folder("made", "rwx------");
        Files.createSymbolicLink(folder.resolve("file"), victims);
        try (OwnFolder own = OwnFolder.open(folder, OwnFolder.Access.PRIVATE)) {
            assertThatThrownBy(() -> own.read("file")).isInstanceOf(IOException.class);
            own.delete("file");
            assertThat(own.read("file")).isEmpty();
            Files.createSymbolicLink(folder.resolve("child"), directory);
            assertThatThrownBy(() -> own.child("child")).isInstanceOf(IOException.class);
        }
        assertThat(victims).hasContent(SECRET);
    }

    /** Files are written to the checked folder, whatever the path names later. */
    @Test
    void keepsToTheFolderThatItOpened() throws IOException {
        Path folder = folder("made", "rwx------");
        Path moved = directory.resolve("moved");
        try (OwnFolder own = OwnFolder.open(folder, OwnFolder.Access.PRIVATE)) {
            Files.move(folder, moved);
            Path other = folder("other", "rwxrwxrwx");
            Files.createSymbolicLink(folder, other);
            own.replace("file", "new");
            assertThat(other).isEmptyDirectory();
        }
        assertThat(moved.resolve("file")).hasContent("new");
    }

    private Path folder(String name, String mode) throws IOException {
        Path folder = Files.createDirectory(directory.resolve(name));
        return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
    }

    private static void giveAway(Path folder) throws IOException {
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "only root gives files away");
        Files.setAttribute(folder, "unix:uid", SOMEBODY);
    }
}
