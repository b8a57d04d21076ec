package dev.nodepath.linux.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.syscall.Syscalls;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputPipeTest {
    private static final int O_RDWR = 2;

    private final Syscalls syscalls = Syscalls.load();

    @TempDir
    Path folder;

    @Test
    void hasRoomUntilAPipeIsFullAndWhenItIsReadFrom() throws Exception {
        Path path = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor())
                .isZero();
        int fd = Syscalls.orThrow("open", syscalls.open(path.toString(), O_RDWR | Syscalls.O_NONBLOCK, 0));
        try {
            OutputPipe pipe = new OutputPipe(syscalls, fd);
            byte[] piece = new byte[OutputPipe.BYTES_AT_A_TIME];
            while (pipe.awaitRoom(Duration.ZERO)) {
                assertThat(syscalls.write(fd, piece)).isEqualTo(piece.length);
            }
            assertThat(pipe.awaitRoom(Duration.ofMillis(1))).isFalse();

            // A page of the pipe, however large pages are.
            assertThat(syscalls.read(fd, new byte[64 << 10])).isPositive();

            assertThat(pipe.awaitRoom(Duration.ofMinutes(1))).isTrue();
        } finally {
            syscalls.close(fd);
        }
    }

    @Test
    void neverWaitsForAFile() throws Exception {
        int flags = Syscalls.O_WRONLY | Syscalls.O_CREAT;
        int fd = Syscalls.orThrow("open", syscalls.open(folder.resolve("file").toString(), flags, 0600));
        try {
            assertThat(new OutputPipe(syscalls, fd).awaitRoom(Duration.ZERO)).isTrue();
        } finally {
            syscalls.close(fd);
        }
    }
}
