package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayLoop;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Unread bytes of one side must wait in the sender, not in the relay. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class RelayMemoryTest {
    private static final int BULK_BYTES = 64 << 20;

    private static final long READ_BYTES_MIN = 64 << 10;

    /**
     * The relay's own limit, and the size of the kernel's two socket buffers (tcp_wmem and tcp_rmem, at most 10 MiB).
     */
    private static final long IN_FLIGHT_MAX_BYTES = RelayLoop.BUFFER_BYTES + (12L << 20);

    /** The bytes of one read, and the allocator's chunks around them. */
    private static final long MEMORY_MAX_BYTES = 12 << 20;

    private static final byte[] PATTERN = new byte[1 << 20];

    static {
        new Random(42).nextBytes(PATTERN);
    }

    @Test
    void slowClientStopsTheBackend() throws Exception {
        long before = directMemory();
        AtomicLong sent = new AtomicLong();
        try (Backend backend = Backend.start(socket -> sendBulk(socket.getOutputStream(), sent));
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            // The sender's first bytes are only in the kernel's buffers.
            Eventually.isTrue(
                    "relay reads", () -> relay.metrics().of(RelayCount.BYTES_FROM_BACKENDS) >= READ_BYTES_MIN);
            awaitStandstill(sent);
            assertThat(relay.metrics().of(RelayCount.BYTES_FROM_BACKENDS))
                    .isBetween(READ_BYTES_MIN, IN_FLIGHT_MAX_BYTES);
            assertThat(directMemory() - before).isLessThan(MEMORY_MAX_BYTES);
            assertThat(checksum(client.getInputStream())).isEqualTo(bulkChecksum());
        }
    }

    @Test
    void slowBackendStopsTheClient() throws Exception {
        long before = directMemory();
        CountDownLatch readNow = new CountDownLatch(1);
        CompletableFuture<Long> received = new CompletableFuture<>();
        AtomicLong sent = new AtomicLong();
        try (Backend backend = Backend.start(socket -> {
                    readNow.await();
                    received.complete(checksum(socket.getInputStream()));
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
                try {
                    sendBulk(client.getOutputStream(), sent);
                    client.shutdownOutput();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            Eventually.isTrue("relay reads", () -> relay.metrics().of(RelayCount.BYTES_FROM_CLIENTS) >= READ_BYTES_MIN);
            awaitStandstill(sent);
            assertThat(relay.metrics().of(RelayCount.BYTES_FROM_CLIENTS))
                    .isBetween(READ_BYTES_MIN, IN_FLIGHT_MAX_BYTES);
            assertThat(directMemory() - before).isLessThan(MEMORY_MAX_BYTES);
            readNow.countDown();
            sender.get(5, TimeUnit.MINUTES);
            assertThat(received.get(5, TimeUnit.MINUTES)).isEqualTo(bulkChecksum());
        }
    }

    /** Neither socket has an event to wait for, except room at the client's, and nothing may be lost. */
    @Test
    void waitingForASlowClientTakesNoTimeAfterBothHaveEnded() throws Exception {
        CompletableFuture<RelayFixture> started = new CompletableFuture<>();
        AtomicLong sent = new AtomicLong();
        try (Backend backend = Backend.start(socket -> {
                    socket.getInputStream().readAllBytes();
                    do {
                        socket.getOutputStream().write(PATTERN, 0, 64 << 10);
                    } while (takes(started.get(), sent.addAndGet(64 << 10)));
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            started.complete(relay);
            client.shutdownOutput();
            Eventually.isTrue("backend has sent all", () -> backend.connections() == 1 && backend.open() == 0);
            Eventually.isTrue("event loops are idle", RelayMemoryTest::isRelayIdle);
            assertThat(client.getInputStream().readAllBytes()).hasSize(sent.intValue());
            Eventually.isTrue("relay is over", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.RESET)).isZero();
        }
    }

    /** Whether the relay reads this much within a fifth of a second. */
    private static boolean takes(RelayFixture relay, long bytes) {
        long from = System.nanoTime();
        while (relay.metrics().of(RelayCount.BYTES_FROM_BACKENDS) < bytes) {
            if (System.nanoTime() - from > TimeUnit.MILLISECONDS.toNanos(200)) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private static boolean isRelayIdle() {
        long before = RelayThreads.cpuNanos();
        long from = System.nanoTime();
        Eventually.isTrue("200 ms", () -> System.nanoTime() - from > TimeUnit.MILLISECONDS.toNanos(200));
        return RelayThreads.cpuNanos() - before < TimeUnit.MILLISECONDS.toNanos(10);
    }

    /** Until the sender's count has not changed for a while. */
    private static void awaitStandstill(AtomicLong sent) {
        long[] last = {-1, System.nanoTime()};
        Eventually.isTrue("sender stands still", () -> {
            long now = System.nanoTime();
            if (sent.get() != last[0]) {
                last[0] = sent.get();
                last[1] = now;
            }
            return last[0] > 0 && now - last[1] > TimeUnit.MILLISECONDS.toNanos(300);
        });
        assertThat(sent.get()).isLessThan(BULK_BYTES);
    }

    private static void sendBulk(OutputStream out, AtomicLong sent) throws IOException {
        int step = 64 << 10;
        for (int i = 0; i < BULK_BYTES; i += step) {
            out.write(PATTERN, i % PATTERN.length, step);
            sent.addAndGet(step);
        }
    }

    private static long checksum(InputStream in) throws IOException {
        CRC32 crc = new CRC32();
        byte[] chunk = new byte[64 << 10];
        for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
            crc.update(chunk, 0, read);
        }
        return crc.getValue();
    }

    private static long bulkChecksum() {
        CRC32 crc = new CRC32();
        byte[] copy = Arrays.copyOf(PATTERN, PATTERN.length);
        for (int i = 0; i < BULK_BYTES; i += copy.length) {
            crc.update(copy);
        }
        return crc.getValue();
    }

    private static long directMemory() {
        return ((AdaptiveByteBufAllocator) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
    }
}
