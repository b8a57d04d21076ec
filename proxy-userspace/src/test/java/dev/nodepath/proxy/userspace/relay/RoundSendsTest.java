package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.io.SendBatch;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.Backend;
import dev.nodepath.proxy.userspace.Clients;
import dev.nodepath.proxy.userspace.NoLeaks;
import dev.nodepath.proxy.userspace.RelayFixture;
import dev.nodepath.proxy.userspace.config.RelayConfig;
import dev.nodepath.proxy.userspace.config.RelayConfigTest;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One system call makes the small writes of a round, and nobody can tell from the bytes. */
@ExtendWith(NoLeaks.class)
@Timeout(120)
class RoundSendsTest {
    private static final int CLIENTS = 40;
    private static final int REQUESTS = 200;

    /** Some requests fit into a slot, some do not. */
    private static final int REQUEST_BYTES_MAX = 6000;

    private static final int PIECE_BYTES = 1000;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void relaysManyConnectionsAtOnce(boolean ioUring) throws Exception {
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
                client.get(90, TimeUnit.SECONDS);
            }
            Eventually.isTrue("connections ended", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.RESET)).as("seed %d", seed).isZero();
            assertThat(relay.metrics().of(RelayCount.BYTES_BATCHED) > 0).isEqualTo(ioUring && isAllowed());
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

    /** The backend sends small pieces, each after the relay has taken the one before, until the client's side is full. */
    @Test
    void keepsWhatASlowReaderHasNoRoomFor() throws Exception {
        Semaphore next = new Semaphore(1);
        AtomicBoolean isFull = new AtomicBoolean();
        try (Backend backend = Backend.start(socket -> {
                    for (int i = 0; acquire(next) && !isFull.get(); i++) {
                        socket.getOutputStream().write(piece(i));
                    }
                });
                RelayFixture relay = new RelayFixture(config(true)).endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            int pieces = 1;
            while (isTaken(relay, (long) pieces * PIECE_BYTES)) {
                pieces++;
                next.release();
            }
            for (int i = 0; i < pieces; i++) {
                assertThat(client.getInputStream().readNBytes(PIECE_BYTES)).isEqualTo(piece(i));
            }
            isFull.set(true);
            next.release();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    private static boolean acquire(Semaphore next) {
        try {
            return next.tryAcquire(60, TimeUnit.SECONDS);
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

    /** A relay that does not take a piece for so long has no room for it. */
    private static boolean isTaken(RelayFixture relay, long bytes) throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            if (relay.metrics().of(RelayCount.BYTES_FROM_BACKENDS) >= bytes) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return false;
    }

    /** Clients that end with a reset while their request is on its way: nobody else gets its bytes. */
    @Test
    void aResetTakesItsWritesWithIt() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(config(true)).endpoints(echo.endpoint());
                Socket steady = relay.connect()) {
            for (int i = 0; i < 500; i++) {
                Socket reset = relay.connect();
                reset.getOutputStream().write(piece(i));
                Clients.reset(reset);
                Clients.assertEchoes(steady);
            }
            Eventually.isTrue(
                    "one connection is left", () -> relay.metrics().active.get() == 1);
            assertThat(relay.metrics().of(RelayCount.BROKEN_DOWN)).isZero();
        }
    }

    @Test
    void asksTheKernelOnceAndTakesNothingAfterARefusal() {
        AtomicInteger asked = new AtomicInteger();
        RoundSends sends = new RoundSends(
                Runnable::run,
                (slots, slotBytes) -> {
                    asked.incrementAndGet();
                    throw new LinuxNetException("io_uring_setup", Errno.EPERM.number(), "");
                },
                new RelayMetrics());
        assertThat(sends.takes(1)).isFalse();
        assertThat(sends.takes(1)).isFalse();
        assertThat(asked).hasValue(1);
        sends.close();
    }

    private static RelayConfig config(boolean ioUring) {
        return RelayConfigTest.CONFIG.change().usesIoUring(ioUring).build();
    }

    private static boolean isAllowed() {
        try {
            SendBatch.open(1, 1).close();
            return true;
        } catch (LinuxNetException e) {
            return false;
        }
    }
}
