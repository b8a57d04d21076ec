package dev.nodepath.proxy.userspace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Resets, and connections with an end from one side. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class RelayEndingTest {
    private static final byte[] PING = "ping".getBytes(US_ASCII);

    @Test
    void resetOfClientResetsBackend() throws Exception {
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        try (Backend backend = Backend.start(socket -> {
                    socket.getOutputStream().write(PING);
                    try {
                        outcome.complete(new AssertionError(
                                "read " + socket.getInputStream().read()));
                    } catch (IOException e) {
                        outcome.complete(e);
                    }
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            client.getInputStream().readNBytes(PING.length);
            Clients.reset(client);
            assertThat(outcome.get(5, TimeUnit.MINUTES)).isInstanceOf(SocketException.class);
            Eventually.isTrue("relay is over", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.RESET)).isEqualTo(1);
        }
    }

    @Test
    void resetOfBackendResetsClient() throws Exception {
        try (Backend backend = Backend.start(socket -> {
                    socket.getInputStream().readNBytes(PING.length);
                    Clients.reset(socket);
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            client.getOutputStream().write(PING);
            Clients.assertReset(client);
        }
    }

    /** After the backend's end the transport no longer reads from it, so it would not see the reset by itself. */
    @Test
    void resetOfBackendThatEndedItsStreamResetsClient() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        try (Backend backend = Backend.start(socket -> {
                    socket.shutdownOutput();
                    ended.await();
                    Clients.reset(socket);
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            ended.countDown();
            Eventually.isTrue("relay is over", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.RESET)).isEqualTo(1);
        }
    }

    @Test
    void endsHalfClosedConnectionOnWhichNothingMoves() throws Exception {
        CountDownLatch forever = new CountDownLatch(1);
        RelayConfig config = RelayFixture.config(Duration.ofMillis(200), RelayConfig.CONNECTIONS_MAX);
        try (Backend backend = Backend.start(socket -> forever.await());
                RelayFixture relay = new RelayFixture(config).endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            client.shutdownOutput();
            Clients.assertReset(client);
            assertThat(relay.metrics().of(RelayCount.LINGER_EXPIRED)).isEqualTo(1);
            forever.countDown();
        }
    }

    /** The kernel's buffers, some MiB, drain long after the relay's own are empty. */
    @Test
    void keepsHalfClosedConnectionWhoseReaderIsSlow() throws Exception {
        int size = 32 << 20;
        RelayConfig config = RelayFixture.config(Duration.ofSeconds(3), RelayConfig.CONNECTIONS_MAX);
        try (Backend backend = Backend.start(socket -> {
                    socket.getInputStream().readAllBytes();
                    socket.getOutputStream().write(new byte[size]);
                });
                RelayFixture relay = new RelayFixture(config).endpoints(backend.endpoint());
                Socket client = new Socket()) {
            client.setReceiveBufferSize(64 << 10);
            client.setSoTimeout(30_000);
            client.connect(relay.address());
            client.shutdownOutput();
            for (int i = 0; i < 100; i++) {
                assertThat(client.getInputStream().readNBytes(16 << 10))
                        .as("piece " + i)
                        .hasSize(16 << 10);
                // Slow on purpose: twelve seconds in all, four times the linger.
                LockSupport.parkNanos(Duration.ofMillis(120).toNanos());
            }
            assertThat(relay.metrics().of(RelayCount.LINGER_EXPIRED)).isZero();
        }
    }

    @Test
    void closingResetsWhatIsOpen() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint());
                Socket client = relay.connect()) {
            Clients.assertEchoes(client);
            int port = relay.address().getPort();
            relay.server.close();
            Clients.assertReset(client);
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                    .isInstanceOf(IOException.class);
        }
    }
}
