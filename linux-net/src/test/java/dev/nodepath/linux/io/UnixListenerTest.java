package dev.nodepath.linux.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unix sockets of the real kernel; they need no privileges. */
@Timeout(900)
class UnixListenerTest {
    private static final Syscalls SYSCALLS = Syscalls.load();

    @TempDir
    Path directory;

    private final KernelLinuxNet net = new KernelLinuxNet();

    @Test
    void passesMessagesAndAnOpenFile() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "content");
        UnixListener listener = net.listen(socket(), 1);
        UnixConnection client = UnixConnection.connect(SYSCALLS, socket());
        try (listener;
                UnixConnection server = listener.accept();
                Descriptor descriptor = Descriptor.open(SYSCALLS, file)) {
            assertThat(server.peerUser()).isEqualTo(net.effectiveUser());
            client.send(bytes("first"), Optional.of(descriptor));
            client.send(bytes("second"), Optional.empty());
            client.close();
            assertThat(server.isPeerGone()).isFalse();
            UnixConnection.Message first = server.receive(100).orElseThrow();
            assertThat(first.content().array()).isEqualTo(bytes("first"));
            try (Descriptor received = first.descriptor().orElseThrow()) {
                assertThat(received.path()).isNotEqualTo(descriptor.path());
                assertThat(Files.readString(received.path())).isEqualTo("content");
            }
            UnixConnection.Message second = server.receive(100).orElseThrow();
            assertThat(second.content().array()).isEqualTo(bytes("second"));
            assertThat(second.descriptor()).isEmpty();
            assertThat(server.isPeerGone()).isTrue();
            assertThat(server.receive(100)).isEmpty();
            assertThatThrownBy(() -> server.send(bytes("late"), Optional.empty()))
                    .hasMessage("send message: EPIPE");
        }
    }

    @Test
    void boundsTheTimeAndTheSizeOfAMessage() throws Exception {
        try (UnixListener listener = net.listen(socket(), 1);
                UnixConnection client = UnixConnection.connect(SYSCALLS, socket());
                UnixConnection server = listener.accept()) {
            server.setTimeout(Duration.ofMillis(1));
            assertThatThrownBy(() -> server.receive(5)).hasMessage("receive message: EAGAIN");
            client.send(bytes("longer"), Optional.empty());
            assertThatThrownBy(() -> server.receive(5))
                    .hasMessage("receive message: EMSGSIZE (message of 6 bytes (limit: 5))");
            assertThatThrownBy(() -> client.send(new byte[1 << 24], Optional.empty()))
                    .hasMessage("send message: EMSGSIZE");
        }
    }

    @Test
    void takesThePathOfADeadListenerAndIsItsOwnersAlone() throws Exception {
        net.listen(socket(), 1).close();
        assertThatThrownBy(() -> UnixConnection.connect(SYSCALLS, socket()))
                .hasMessage("connect to " + socket() + ": ECONNREFUSED");
        try (UnixListener listener = net.listen(socket(), 1);
                UnixConnection client = UnixConnection.connect(SYSCALLS, socket());
                UnixConnection server = listener.accept()) {
            assertThat(server.isPeerGone()).isFalse();
            assertThat(client.isPeerGone()).isFalse();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())))
                    .isEqualTo("rw-------");
            try (Stream<Path> files = Files.list(directory)) {
                assertThat(files).containsExactly(socket());
            }
        }
    }

    @Test
    void wakesWhoWaitsForAConnectionWhenItIsStopped() throws Exception {
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<Integer> refusal = CompletableFuture.supplyAsync(() -> {
                try (UnixConnection connection = listener.accept()) {
                    return connection.peerUser();
                } catch (LinuxNetException e) {
                    return e.errno().number();
                }
            });
            listener.stop();
            assertThat(refusal.get(5, TimeUnit.MINUTES)).isEqualTo(Errno.EINVAL.number());
        }
    }

    @Test
    void refusesAPathThatDoesNotFit() {
        Path path = directory.resolve("x".repeat(200));
        assertThatThrownBy(() -> net.listen(path, 1)).hasMessageContaining("EINVAL (path of ");
    }

    private Path socket() {
        return directory.resolve("socket");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
