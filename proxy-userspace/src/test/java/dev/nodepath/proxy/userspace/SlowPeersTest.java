package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import dev.nodepath.proxy.userspace.relay.RelayLoop;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many slow readers and writers at once, beside a normal one. */
@Tag("faults")
@ExtendWith(NoLeaks.class)
@Timeout(900)
class SlowPeersTest {
    private static final int PEERS = 48;
    private static final int SMALL_BUFFER_BYTES = 8 << 10;

    /** More than the kernel keeps between relay and client ({@code tcp_wmem}). */
    private static final int ANSWER_BYTES = 16 << 20;

    /**
     * The kernel's buffer for a backend. By default it is megabytes for each socket, and all of them together may
     * reach the machine's limit ({@code tcp_mem}): then nothing moves at all.
     */
    private static final int BACKEND_BUFFER_BYTES = 64 << 10;

    @Test
    void slowReadersHoldABufferEachAndLoseNothing() throws Exception {
        byte[] answer = new byte[ANSWER_BYTES];
        new Random(7).nextBytes(answer);
        List<Socket> slow = new ArrayList<>();
        try (Backend backend = Backend.start(socket -> answer(socket, answer));
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint())) {
            for (int i = 0; i < PEERS; i++) {
                Socket client = new Socket();
                slow.add(client);
                client.setReceiveBufferSize(SMALL_BUFFER_BYTES);
                client.connect(relay.address());
                client.setSoTimeout(30_000);
                client.getOutputStream().write('a');
            }
            awaitStandstill(relay);
            assertThat(directMemory()).isLessThan((long) PEERS * RelayLoop.BUFFER_BYTES + (16 << 20));
            try (Socket quick = relay.connect()) {
                quick.getOutputStream().write('b');
                assertThat(quick.getInputStream().readNBytes(100)).hasSize(100);
            }
            // Some finally read everything, the others leave in the middle.
            for (Socket client : slow.subList(0, 5)) {
                assertThat(client.getInputStream().readNBytes(ANSWER_BYTES)).isEqualTo(answer);
            }
            for (Socket client : slow) {
                client.close();
            }
            Eventually.isTrue("relays are over", () -> relay.metrics().active.get() == 0);
            assertThat(directMemory()).isLessThan(16 << 20);
        }
    }

    /**
     * All waiting bytes together have a limit: above it some connections are reset, and no other connection is
     * disturbed.
     */
    @Test
    void moreSlowReadersThanThereIsRoomForAreResetAndCounted() throws Exception {
        int bytesMax = 1 << 18;
        RelayConfig config = RelayConfigTest.CONFIG.with(draft -> {
            draft.eventLoops = 1;
            draft.waitingBytesMax = bytesMax;
        });
        List<Socket> slow = new ArrayList<>();
        byte[] answer = new byte[ANSWER_BYTES];
        try (Backend backend = Backend.start(socket -> answer(socket, answer));
                RelayFixture relay = new RelayFixture(config).endpoints(backend.endpoint())) {
            for (int i = 0; i < PEERS; i++) {
                Socket client = new Socket();
                slow.add(client);
                client.setReceiveBufferSize(SMALL_BUFFER_BYTES);
                client.connect(relay.address());
                client.getOutputStream().write('a');
            }
            Eventually.isTrue("there is no room", () -> relay.metrics().of(RelayCount.OVER_MEMORY) > 0);
            awaitStandstill(relay);
            // Perhaps only the event loop stood still, so more connections are reset meanwhile.
            Eventually.isTrue("those are over", () -> {
                RelayMetrics counts = relay.metrics();
                return counts.active.get() == PEERS - counts.of(RelayCount.OVER_MEMORY);
            });
            // With half of the room taken each takes a little only, so many more stay than full buffers would fit.
            assertThat(relay.metrics().of(RelayCount.OVER_MEMORY))
                    .isLessThan(PEERS - bytesMax / 2 / RelayLoop.SPARING_BYTES);
            assertThat(directMemory()).isLessThan(bytesMax + (8 << 20));
            try (Socket quick = relay.connect()) {
                quick.getOutputStream().write('b');
                assertThat(quick.getInputStream().readNBytes(100)).hasSize(100);
            }
            for (Socket client : slow) {
                client.close();
            }
            Eventually.isTrue("relays are over", () -> relay.metrics().active.get() == 0);
        }
    }

    @Test
    void slowWritersAreServedByteByByteAndHoldNothing() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint())) {
            for (int i = 0; i < PEERS; i++) {
                slow.add(relay.connect());
            }
            for (int round = 0; round < 50; round++) {
                for (Socket client : slow) {
                    client.getOutputStream().write(round);
                }
                for (Socket client : slow) {
                    assertThat(client.getInputStream().read()).isEqualTo(round);
                }
            }
            assertThat(relay.metrics().active.get()).isEqualTo(PEERS);
            assertThat(directMemory()).isLessThan(4 << 20);
            for (Socket client : slow) {
                client.close();
            }
            Eventually.isTrue("relays are over", () -> relay.metrics().active.get() == 0);
        }
    }

    /** The whole answer for an {@code a}, else a little. */
    private static void answer(Socket socket, byte[] answer) throws IOException {
        socket.setSendBufferSize(BACKEND_BUFFER_BYTES);
        int request = socket.getInputStream().read();
        socket.getOutputStream().write(answer, 0, request == 'a' ? ANSWER_BYTES : 100);
    }

    /** Until nothing has moved for a while. */
    private static void awaitStandstill(RelayFixture relay) {
        long[] last = {-1, System.nanoTime()};
        Eventually.isTrue("nothing moves", () -> {
            long now = System.nanoTime();
            long moved = relay.metrics().of(RelayCount.BYTES_FROM_BACKENDS);
            if (moved != last[0]) {
                last[0] = moved;
                last[1] = now;
            }
            return last[0] > 0 && now - last[1] > TimeUnit.MILLISECONDS.toNanos(500);
        });
    }

    private static long directMemory() {
        return ((AdaptiveByteBufAllocator) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
    }
}
