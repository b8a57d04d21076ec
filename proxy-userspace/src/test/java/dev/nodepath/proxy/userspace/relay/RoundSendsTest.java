package dev.nodepath.proxy.userspace.relay;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.io.SendBatch;
import dev.nodepath.linux.io.SendBatches;
import dev.nodepath.proxy.userspace.Backend;
import dev.nodepath.proxy.userspace.NoLeaks;
import dev.nodepath.proxy.userspace.RelayFixture;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import io.netty.channel.epoll.LinuxSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One system call makes the small writes of a round, without an effect on the bytes. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class RoundSendsTest {
    private static final int CLIENTS = 40;
    private static final int REQUESTS = 200;

    /** Some requests fit into a slot, some do not. */
    private static final int REQUEST_BYTES_MAX = 6000;

    private static final int PIECE_BYTES = 1000;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void relaysManyConnectionsAtOnce(boolean ioUring) throws Exception {
        if (ioUring) {
            SendBatches.open(1, 1).close();
        }
        long seed = System.nanoTime();
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(config(ioUring)).endpoints(echo.endpoint())) {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(seed + i);
                clients.add(pool.submit(() -> {
                    ask(relay, random);
                    return null;
                }));
            }
            for (Future<?> client : clients) {
                client.get(5, TimeUnit.MINUTES);
            }
            Eventually.isTrue("connections ended", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.RESET)).as("seed %d", seed).isZero();
            assertThat(relay.metrics().of(RelayCount.BYTES_BATCHED) > 0).isEqualTo(ioUring);
        } finally {
            pool.shutdownNow();
        }
    }

    private static void ask(RelayFixture relay, Random random) throws IOException {
        try (Socket client = relay.connect()) {
            for (int i = 0; i < REQUESTS; i++) {
                byte[] request = new byte[1 + random.nextInt(REQUEST_BYTES_MAX)];
                random.nextBytes(request);
                client.getOutputStream().write(request);
                assertThat(client.getInputStream().readNBytes(request.length)).isEqualTo(request);
            }
            client.shutdownOutput();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    /**
     * The backend sends small pieces, each after the relay has written the previous one, until the client's side is
     * full.
     */
    @Test
    void keepsWhatASlowReaderHasNoRoomFor() throws Exception {
        SendBatches.open(1, 1).close();
        Semaphore next = new Semaphore(0);
        AtomicBoolean isFull = new AtomicBoolean();
        RelayConfig oneLoop = config(true).with(draft -> draft.eventLoops = 1);
        try (Backend backend = Backend.start(socket -> {
                    for (int i = 0; acquire(next) && !isFull.get(); i++) {
                        socket.getOutputStream().write(piece(i));
                    }
                });
                RelayFixture relay = new RelayFixture(oneLoop).endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            int pieces = 0;
            do {
                pieces++;
                next.release();
                long bytes = (long) pieces * PIECE_BYTES;
                Eventually.isTrue("read " + bytes, () -> relay.metrics().of(RelayCount.BYTES_FROM_BACKENDS) == bytes);
                // The first task may come before the end of the round.
                relay.awaitTask();
                relay.awaitTask();
            } while (relay.metrics().of(RelayCount.BYTES_BATCHED) == (long) pieces * PIECE_BYTES);
            for (int i = 0; i < pieces; i++) {
                assertThat(client.getInputStream().readNBytes(PIECE_BYTES)).isEqualTo(piece(i));
            }
            isFull.set(true);
            next.release();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThat(relay.metrics().of(RelayCount.BYTES_BATCHED)).isPositive();
        }
    }

    private static boolean acquire(Semaphore next) {
        try {
            return next.tryAcquire(5, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static byte[] piece(int number) {
        byte[] piece = new byte[PIECE_BYTES];
        Arrays.fill(piece, (byte) number);
        return piece;
    }

    @Test
    void writesAtOnceWhatTheKernelDoesNotTake() throws Exception {
        try (Sides sides = new Sides(SendBatches.taking(0, 8, 100))) {
            Side side = sides.connect(0, Side::flush);
            assertThat(side.write(sides.bytes("lost?"), 5)).isTrue();
            assertThat(side.isWaiting()).isTrue();
            sides.endRound();
            assertThat(sides.received(0, 5)).isEqualTo("lost?");
            assertThat(side.isWaiting()).isFalse();
            sides.assertNothingWaits();
        }
    }

    @Test
    void writesAtOnceAfterTheKernelHasEndedBatches() throws Exception {
        try (Sides sides = new Sides(SendBatches.broken(8, 100))) {
            Side side = sides.connect(0, Side::flush);
            assertThat(side.write(sides.bytes("first"), 5)).isTrue();
            sides.endRound();
            assertThat(side.write(sides.bytes("second"), 6)).isTrue();
            assertThat(sides.tasks).isEmpty();
            assertThat(sides.received(0, 11)).isEqualTo("firstsecond");
        }
    }

    @Test
    void aSocketThatGetsTheNumberOfAClosedOneGetsNoneOfItsBytes() throws Exception {
        try (Sides sides = new Sides(SendBatches.open(8, 100))) {
            Side ends = sides.connect(0, side -> {});
            Side other = sides.connect(1, side -> {});
            assertThat(ends.write(sides.bytes("ended"), 5)).isTrue();
            assertThat(other.write(sides.bytes("other"), 5)).isTrue();
            int number = ends.fd().intValue();
            ends.close();
            // Another thread may have freed a lower number meanwhile.
            int index = 2;
            Side next = sides.connect(index, side -> {});
            while (next.fd().intValue() != number) {
                index++;
                next = sides.connect(index, side -> {});
            }

            sides.endRound();

            assertThat(sides.received(1, 5)).isEqualTo("other");
            assertThat(next.write(sides.bytes("next"), 4)).isTrue();
            sides.endRound();
            assertThat(sides.received(index, 4)).isEqualTo("next");
            sides.assertNothingWaits();
        }
    }

    @Test
    void aFaultEndsOneConnectionAndTheOthersGoOn() throws Exception {
        try (Sides sides = new Sides(SendBatches.open(8, 100))) {
            Side faulty = sides.connect(0, side -> {
                throw new OutOfMemoryError("of a test");
            });
            List<Side> ready = new ArrayList<>();
            Side other = sides.connect(1, ready::add);
            assertThat(faulty.write(sides.bytes("a"), 1)).isTrue();
            assertThat(other.write(sides.bytes("b"), 1)).isTrue();

            sides.endRound();

            assertThat(sides.broken).singleElement().isInstanceOf(OutOfMemoryError.class);
            assertThat(ready).containsExactly(other);
            assertThat(sides.received(1, 1)).isEqualTo("b");
            sides.assertNothingWaits();
        }
    }

    @Test
    void aFullBatchLeavesTheOtherWritesToSingleCalls() throws Exception {
        try (Sides sides = new Sides(SendBatches.open(1, 100))) {
            Side first = sides.connect(0, side -> {});
            Side second = sides.connect(1, side -> {});
            assertThat(first.write(sides.bytes("first"), 5)).isTrue();
            assertThat(second.write(sides.bytes("second"), 6)).isTrue();
            assertThat(second.isWaiting()).isFalse();
            assertThat(sides.received(1, 6)).isEqualTo("second");
            sides.endRound();
            assertThat(sides.received(0, 5)).isEqualTo("first");
        }
    }

    /** Sides of an event loop whose rounds end at the test's command. */
    private static final class Sides implements AutoCloseable {
        private static final int ROOM = 1000;

        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private final WaitingBytes room = new WaitingBytes(ROOM);
        private final RoundSends sends;
        private final List<Side> all = new ArrayList<>();
        private final List<Socket> peers = new ArrayList<>();
        private final List<Throwable> broken = new ArrayList<>();

        Sides(SendBatch batch) {
            sends = new RoundSends(tasks::add, batch, new RelayMetrics());
        }

        /** Connects one more side; the reader gets its number. */
        Side connect(int number, Consumer<Side> owner) throws IOException {
            assertThat(all).hasSize(number);
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                LinuxSocket socket = LinuxSocket.newSocketStream(false);
                socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
                Socket peer = server.accept();
                peer.setSoTimeout(30_000);
                peers.add(peer);
                Side side = Side.accepted(
                        socket,
                        new Side.Owner() {
                            @Override
                            public void ready(Side ready) {
                                owner.accept(ready);
                            }

                            @Override
                            public void breakDown(Throwable cause) {
                                broken.add(cause);
                            }
                        },
                        room,
                        sends);
                all.add(side);
                return side;
            }
        }

        ByteBuffer bytes(String text) {
            return ByteBuffer.allocateDirect(text.length())
                    .put(text.getBytes(US_ASCII))
                    .flip();
        }

        void endRound() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }

        String received(int number, int count) throws IOException {
            return new String(peers.get(number).getInputStream().readNBytes(count), US_ASCII);
        }

        void assertNothingWaits() {
            assertThat(room.take(ROOM)).isTrue();
            room.giveBack(ROOM);
        }

        @Override
        public void close() throws IOException {
            all.forEach(Side::close);
            sends.close();
            for (Socket peer : peers) {
                peer.close();
            }
        }
    }

    private static RelayConfig config(boolean ioUring) {
        return RelayConfigTest.CONFIG.with(draft -> draft.usesIoUring = ioUring);
    }
}
