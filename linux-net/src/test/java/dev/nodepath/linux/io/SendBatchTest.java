package dev.nodepath.linux.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(900)
class SendBatchTest {
    private static final int AF_INET = 2;
    private static final int SOCK_STREAM_CLOEXEC = 1 | 0x80000;
    private static final int SOCKADDR_IN_BYTES = 16;
    private static final int SLOTS = 8;
    private static final int SLOT_BYTES = 4096;

    private final Syscalls syscalls = Syscalls.load();
    private final List<Pair> pairs = new ArrayList<>();
    private final SendBatch batch = SendBatches.open(SLOTS, SLOT_BYTES);

    /** A connection: the descriptor that sends, and the socket that receives. */
    private record Pair(int fd, Socket receiver) {}

    @AfterEach
    void close() throws IOException {
        for (Pair each : pairs) {
            each.receiver.close();
            syscalls.close(each.fd);
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
            assertThat(batch.taken(i)).isEqualTo(1 << i).isEqualTo(batch.length(i));
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
                batch.add(pair.fd, direct(bytes(round + i, sizes[i])), sizes[i]);
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
        byte[] content = bytes(1, SLOT_BYTES);
        int sends = 0;
        do {
            batch.clear();
            batch.add(pair.fd, direct(content), SLOT_BYTES);
            batch.send();
            sends++;
        } while (batch.taken(0) == SLOT_BYTES);
        int taken = batch.taken(0);
        assertThat(batch.content(0, taken))
                .isEqualTo(ByteBuffer.wrap(content, taken, SLOT_BYTES - taken).slice());
        for (int i = 1; i < sends; i++) {
            assertThat(receive(pair, SLOT_BYTES)).isEqualTo(content);
        }
        assertThat(receive(pair, taken)).isEqualTo(Arrays.copyOf(content, taken));
    }

    @Test
    void takesNothingForAConnectionThatIsGoneAndServesTheOthers() throws Exception {
        Pair gone = connect();
        Pair other = connect();
        gone.receiver.setSoLinger(true, 0);
        gone.receiver.close();
        byte[] bytes = bytes(3, 100);
        do {
            batch.clear();
            batch.add(gone.fd, direct(bytes), bytes.length);
            int second = batch.add(other.fd, direct(bytes), bytes.length);
            batch.send();
            assertThat(batch.taken(second)).isEqualTo(bytes.length);
            assertThat(receive(other, bytes.length)).isEqualTo(bytes);
        } while (batch.taken(0) > 0);
    }

    /** As for lack of memory. */
    @Test
    void whatTheKernelLeavesOutDoesNotGoWithLaterSends() throws Exception {
        try (SendBatch sparing = SendBatches.taking(1, SLOTS, SLOT_BYTES)) {
            Pair first = connect();
            Pair second = connect();
            for (int round = 0; round < 100; round++) {
                int a = sparing.add(first.fd, direct(bytes(round, 10)), 10);
                int b = sparing.add(second.fd, direct(bytes(-round, 20)), 20);
                sparing.send();
                assertThat(sparing.taken(a)).isEqualTo(10);
                assertThat(sparing.taken(b)).isZero();
                assertThat(receive(first, 10)).isEqualTo(bytes(round, 10));
                sparing.clear();
            }
            assertThat(second.receiver.getInputStream().available()).isZero();
        }
    }

    @Test
    void aKernelThatMakesNoCallsAnyMoreIsAnError() throws Exception {
        try (SendBatch broken = SendBatches.broken(SLOTS, SLOT_BYTES)) {
            int slot = broken.add(connect().fd, direct(bytes(1, 10)), 10);
            assertThatThrownBy(broken::send)
                    .isInstanceOf(LinuxNetException.class)
                    .hasMessageContaining("io_uring_enter");
            assertThat(broken.taken(slot)).isZero();
        }
    }

    @Test
    void aCancelledSendReachesNobody() throws Exception {
        Pair cancelled = connect();
        Pair other = connect();
        batch.cancel(batch.add(cancelled.fd, direct(bytes(1, 10)), 10));
        int slot = batch.add(other.fd, direct(bytes(2, 10)), 10);

        batch.send();

        assertThat(batch.taken(slot)).isEqualTo(10);
        assertThat(receive(other, 10)).isEqualTo(bytes(2, 10));
        batch.clear();
        assertThat(batch.add(cancelled.fd, direct(bytes(4, 5)), 5)).isZero();
        batch.send();
        assertThat(receive(cancelled, 5)).isEqualTo(bytes(4, 5));
    }

    @Test
    void givesBackItsDescriptorAndMemory() throws Exception {
        long rings = rings();
        long mappings = mappings();
        for (int i = 0; i < 20; i++) {
            SendBatch.open(SLOTS, SLOT_BYTES).close();
        }
        assertThat(rings()).isEqualTo(rings).isPositive();
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

    /** Other descriptors of this process come and go. */
    private static long rings() throws IOException {
        long count = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : all) {
                count += target(each).contains("io_uring") ? 1 : 0;
            }
        }
        return count;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "closed meanwhile";
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
