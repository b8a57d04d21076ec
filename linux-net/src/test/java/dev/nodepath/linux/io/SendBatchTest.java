package dev.nodepath.linux.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SendBatchTest {
    private static final int AF_INET = 2;
    private static final int SOCK_STREAM_CLOEXEC = 1 | 0x80000;
    private static final int SOCKADDR_IN_BYTES = 16;
    private static final int ECONNRESET = 104;
    private static final int SLOTS = 8;
    private static final int SLOT_BYTES = 4096;

    private final Syscalls syscalls = Syscalls.load();
    private final List<Pair> pairs = new ArrayList<>();
    private final SendBatch batch = open();

    /** A connection: the descriptor that sends, and the socket that receives. */
    private record Pair(int fd, Socket receiver) {}

    private static SendBatch open() {
        try {
            return SendBatch.open(SLOTS, SLOT_BYTES);
        } catch (LinuxNetException e) {
            return abort("io_uring is not allowed here: " + e.getMessage());
        }
    }

    @AfterEach
    void close() throws IOException {
        for (Pair each : pairs) {
            each.receiver.close();
            long unused = syscalls.close(each.fd);
        }
        batch.close();
    }

    @Test
    void sendsOnSeveralSockets() throws Exception {
        for (int i = 0; i < SLOTS; i++) {
            byte[] bytes = bytes(i + 1, 1 << i);
            assertThat(batch.takes(bytes.length)).isTrue();
            assertThat(batch.add(connect().fd, direct(bytes), bytes.length)).isEqualTo(i);
        }
        assertThat(batch.takes(1)).isFalse();

        batch.send();

        for (int i = 0; i < SLOTS; i++) {
            assertThat(batch.result(i)).isEqualTo(1 << i).isEqualTo(batch.length(i));
            assertThat(receive(pairs.get(i), 1 << i)).isEqualTo(bytes(i + 1, 1 << i));
        }
    }

    @Test
    void keepsTheOrderOfASocketThroughManyRounds() throws Exception {
        Pair pair = connect();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 1000; round++) {
            int sends = 1 + random.nextInt(SLOTS);
            int[] sizes = random.ints(sends, 1, 200).toArray();
            for (int i = 0; i < sends; i++) {
                int unused = batch.add(pair.fd, direct(bytes(round + i, sizes[i])), sizes[i]);
            }
            batch.send();
            for (int i = 0; i < sends; i++) {
                assertThat(receive(pair, sizes[i]))
                        .as("seed %d, round %d", seed, round)
                        .isEqualTo(bytes(round + i, sizes[i]));
            }
            batch.clear();
        }
    }

    @Test
    void tellsWhatASocketWithoutRoomHasTakenAndKeepsTheRest() throws Exception {
        Pair pair = connect();
        long taken = 0;
        int result;
        byte[] content = bytes(1, SLOT_BYTES);
        do {
            batch.clear();
            int slot = batch.add(pair.fd, direct(content), SLOT_BYTES);
            batch.send();
            result = batch.result(slot);
            taken += Math.max(0, result);
        } while (result == SLOT_BYTES);
        int rest = Math.max(0, result);
        assertThat(result).isIn(List.of(-Errno.EAGAIN.number(), rest));
        assertThat(batch.content(0, rest))
                .isEqualTo(ByteBuffer.wrap(content, rest, SLOT_BYTES - rest).slice());
        assertThat(pair.receiver.getInputStream().readNBytes((int) taken)).hasSize((int) taken);
    }

    @Test
    void tellsThatOneConnectionIsGoneAndServesTheOthers() throws Exception {
        Pair gone = connect();
        Pair other = connect();
        gone.receiver.setSoLinger(true, 0);
        gone.receiver.close();
        byte[] bytes = bytes(3, 100);
        int result;
        do {
            batch.clear();
            int first = batch.add(gone.fd, direct(bytes), bytes.length);
            int second = batch.add(other.fd, direct(bytes), bytes.length);
            batch.send();
            result = batch.result(first);
            assertThat(batch.result(second)).isEqualTo(bytes.length);
            assertThat(receive(other, bytes.length)).isEqualTo(bytes);
        } while (result > 0);
        assertThat(result).isIn(-Errno.EPIPE.number(), -ECONNRESET);
    }

    @Test
    void aCancelledSendReachesNobody() throws Exception {
        Pair cancelled = connect();
        Pair other = connect();
        batch.cancel(batch.add(cancelled.fd, direct(bytes(1, 10)), 10));
        int slot = batch.add(other.fd, direct(bytes(2, 10)), 10);

        batch.send();

        assertThat(batch.result(slot)).isEqualTo(10);
        assertThat(receive(other, 10)).isEqualTo(bytes(2, 10));
        batch.clear();
        assertThat(batch.add(cancelled.fd, direct(bytes(4, 5)), 5)).isZero();
        batch.send();
        assertThat(receive(cancelled, 5)).isEqualTo(bytes(4, 5));
    }

    @Test
    void givesBackItsDescriptorAndMemory() throws Exception {
        long descriptors = descriptors();
        long mappings = mappings();
        for (int i = 0; i < 20; i++) {
            SendBatch.open(SLOTS, SLOT_BYTES).close();
        }
        assertThat(descriptors()).isEqualTo(descriptors);
        assertThat(mappings()).isEqualTo(mappings).isPositive();
    }

    private static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("io_uring")).count();
        }
    }

    @Test
    void saysWhatTheKernelRefuses() throws Exception {
        assertThatThrownBy(() -> SendBatch.open(0, SLOT_BYTES))
                .isInstanceOf(LinuxNetException.class)
                .hasMessageContaining("io_uring_setup: EINVAL");
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private Pair connect() throws IOException {
        try (ServerSocket server =
                new ServerSocket(0, 1, IpAddress.parse("127.0.0.1").toInetAddress())) {
            int fd = Syscalls.orThrow("socket", syscalls.socket(AF_INET, SOCK_STREAM_CLOEXEC, 0));
            ByteBuffer address = ByteBuffer.allocate(SOCKADDR_IN_BYTES)
                    .put((byte) AF_INET)
                    .put((byte) 0)
                    .putShort((short) server.getLocalPort())
                    .put(server.getInetAddress().getAddress());
            Syscalls.orThrow("connect", syscalls.connect(fd, address.array()));
            Pair pair = new Pair(fd, server.accept());
            pair.receiver.setSoTimeout(30_000);
            pairs.add(pair);
            return pair;
        }
    }

    private static byte[] receive(Pair pair, int count) throws IOException {
        return pair.receiver.getInputStream().readNBytes(count);
    }

    private static byte[] bytes(int seed, int count) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
    }
}
