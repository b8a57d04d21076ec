package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.config.RelayConfig;
import dev.nodepath.proxy.userspace.config.RelayConfigTest;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.relay.RelayLoop;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many at once who read or write slowly, beside one who does not. */
@Tag("faults")
@ExtendWith(NoLeaks.class)
@Timeout(90)
class SlowPeersTest {
    private static final int PEERS = 60;
    private static final int SMALL_BUFFER_BYTES = 8 << 10;

    /** More than the kernel keeps between relay and client ({@code tcp_wmem}). */
    private static final int ANSWER_BYTES = 16 << 20;

    @Test
    void slowReadersHoldABufferEachAndLoseNothing() throws Exception {
        byte[] answer = new byte[ANSWER_BYTES];
        new Random(7).nextBytes(answer);
        List<Socket> slow = new ArrayList<>();
        try (Backend backend = Backend.start(socket -> {
                    if (socket.getInputStream().read() == 'a') {
                        socket.getOutputStream().write(answer);
                    } else {
                        socket.getOutputStream().write(new byte[100]);
                    }
                });
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
            // Some read all in the end, the others go away in the middle of it.
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

    /** What waits has a bound in all: beyond it some are broken off, and nobody else is disturbed. */
    @Test
    void moreSlowReadersThanThereIsRoomForAreResetAndCounted() throws Exception {
        int bytesMax = 1 << 20;
        int peers = 100;
        RelayConfig config = RelayConfigTest.CONFIG
                .change()
                .eventLoops(1)
                .waitingBytesMax(bytesMax)
                .build();
        List<Socket> slow = new ArrayList<>();
        byte[] answer = new byte[ANSWER_BYTES];
        try (Backend backend = Backend.start(socket -> socket.getOutputStream()
                        .write(answer, 0, socket.getInputStream().read() == 'a' ? ANSWER_BYTES : 100));
                RelayFixture relay = new RelayFixture(config).endpoints(backend.endpoint())) {
            for (int i = 0; i < peers; i++) {
                Socket client = new Socket();
                slow.add(client);
                client.setReceiveBufferSize(SMALL_BUFFER_BYTES);
                client.connect(relay.address());
                client.getOutputStream().write('a');
            }
            Eventually.isTrue("there is no room", () -> relay.metrics().of(RelayCount.OVER_MEMORY) > 0);
            awaitStandstill(relay);
            // What stood still may have been the event loop alone, so that more are broken off meanwhile.
            Eventually.isTrue("those are over", () -> {
                RelayMetrics counts = relay.metrics();
                return counts.active.get() == peers - counts.of(RelayCount.OVER_MEMORY);
            });
            // With half of the room taken each takes a little only, so many more stay than full buffers would fit.
            assertThat(relay.metrics().of(RelayCount.OVER_MEMORY))
                    .isLessThan(peers - bytesMax / 2 / RelayLoop.SPARING_BYTES);
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
