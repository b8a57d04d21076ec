package dev.nodepath.linux.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of the real kernel; they need no privileges. */
class FileLockTest {
    @TempDir
    Path directory;

    private final KernelLinuxNet net = new KernelLinuxNet();

    @Test
    void excludesOthersUntilItIsClosed() throws Exception {
        Path file = directory.resolve("lock");
        Optional<FileLock> first = net.tryLock(file);
        assertThat(first).isPresent();
        assertThat(net.tryLock(file)).isEmpty();
        assertThat(exitCodeOfFlock(file)).isEqualTo(1);
        first.orElseThrow().close();
        first.orElseThrow().close();
        assertThat(exitCodeOfFlock(file)).isZero();
        Optional<FileLock> second = net.tryLock(file);
        assertThat(second).isPresent();
        second.orElseThrow().close();
    }

    @Test
    void saysWhichFileCannotBeMade() {
        Path file = directory.resolve("missing").resolve("lock");
        assertThatThrownBy(() -> net.tryLock(file))
                .isInstanceOf(LinuxNetException.class)
                .hasMessage("lock " + file + ": ENOENT");
        assertThat(Files.exists(file)).isFalse();
    }

    @Test
    void followsNoLink() throws Exception {
        Path target = directory.resolve("target");
        Path link = Files.createSymbolicLink(directory.resolve("lock"), target);
        assertThatThrownBy(() -> net.tryLock(link))
                .isInstanceOf(LinuxNetException.class)
                .hasMessage("lock " + link + ": ELOOP");
        assertThat(target).doesNotExist();
    }

    @Test
    void aLockOfADeletedFileExcludesNobody() throws Exception {
        Path file = directory.resolve("lock");
        FileLock deleted = net.tryLock(file).orElseThrow();
        Files.delete(file);
        net.tryLock(file).orElseThrow().close();
        deleted.close();
    }

    /** {@code flock(1)} of util-linux, as a foreign program. */
    private static int exitCodeOfFlock(Path file) throws Exception {
        return new ProcessBuilder("flock", "--nonblock", file.toString(), "true")
                .start()
                .waitFor();
    }
}
