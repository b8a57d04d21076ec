package dev.nodepath.linux.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SharedFolderTest {
    @TempDir
    Path directory;

    /** Makes a folder of this name, in a process of another umask. */
    public static void main(String[] arguments) throws Exception {
        SharedFolder.make(Path.of(arguments[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"000", "022", "077", "027"})
    void hasItsModeWhateverTheUmask(String umask) throws Exception {
        Path folder = directory.resolve("above").resolve("folder");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String line = "umask " + umask + "; exec \"$@\"";
        Process process = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        line,
                        "sh",
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        SharedFolderTest.class.getName(),
                        folder.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();
        for (Path made : new Path[] {folder, directory.resolve("above")}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                    .isEqualTo("rwxr-xr-x");
        }
    }

    @Test
    void leavesWhatIsThereAsItIs() throws Exception {
        Path folder = Files.createDirectory(
                directory.resolve("private"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        SharedFolder.make(folder);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> SharedFolder.make(file.resolve("below")))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @ParameterizedTest
    @CsvSource({"0755, true", "0700, true", "01777, true", "0777, false", "0757, false"})
    void trustsAFolderThatOthersCannotChange(String mode, boolean trusted) throws IOException {
        Path folder = Files.createDirectory(directory.resolve("made"));
        Files.setAttribute(folder, "unix:mode", Integer.parseInt(mode, 8));
        if (trusted) {
            SharedFolder.makeTrusted(folder);
        } else {
            assertThatThrownBy(() -> SharedFolder.makeTrusted(folder))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(folder + ": mode ")
                    .hasMessageEndingWith(" (expected: a folder that others cannot write)");
        }
    }

    @ParameterizedTest
    @CsvSource({"0775, 0, true", "0775, 61234, false", "01775, 61234, true", "0755, 61234, true"})
    void trustsAFolderThatNoGroupOfOthersCanChange(String mode, int group, boolean trusted) throws IOException {
        Path folder = Files.createDirectory(directory.resolve("made"));
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "only root gives files away");
        Files.setAttribute(folder, "unix:gid", group);
        Files.setAttribute(folder, "unix:mode", Integer.parseInt(mode, 8));
        if (trusted) {
            SharedFolder.makeTrusted(folder);
        } else {
            assertThatThrownBy(() -> SharedFolder.makeTrusted(folder))
                    .isInstanceOf(IOException.class)
                    .hasMessage(folder + ": mode rwxrwxr-x (expected: a folder that others cannot write)");
        }
    }

    @Test
    void trustsNoFolderOfSomebodyElse() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("made"));
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "only root gives files away");
        Files.setAttribute(folder, "unix:uid", 61234);
        assertThatThrownBy(() -> SharedFolder.makeTrusted(folder))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(folder + ": belongs to 61234 (expected: a folder of ");
    }
}
