package dev.nodepath.proxy.userspace.relay;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.Backend;
import dev.nodepath.proxy.userspace.Clients;
import dev.nodepath.proxy.userspace.NoLeaks;
import dev.nodepath.proxy.userspace.RelayFixture;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bytes from client to endpoint and back. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class RelayTest {
    private static final byte[] PING = "ping".getBytes(US_ASCII);

    @Test
    void passesBytesBothWays() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint());
                Socket client = relay.connect()) {
            Clients.assertEchoes(client);
            Clients.assertEchoes(client);
            assertThat(relay.metrics().of(RelayCount.BYTES_FROM_CLIENTS)).isEqualTo(2L * PING.length);
            assertThat(relay.metrics().of(RelayCount.BYTES_FROM_BACKENDS)).isEqualTo(2L * PING.length);
            assertThat(relay.metrics().active.get()).isEqualTo(1);
        }
    }

    @Test
    void goesOnFromClientToBackendAfterBackendEnds() throws Exception {
        CompletableFuture<String> received = new CompletableFuture<>();
        try (Backend backend = Backend.start(socket -> {
                    socket.getOutputStream().write(PING);
                    socket.shutdownOutput();
                    received.complete(new String(socket.getInputStream().readAllBytes(), US_ASCII));
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            assertThat(client.getInputStream().readAllBytes()).isEqualTo(PING);
            client.getOutputStream().write("after the end".getBytes(US_ASCII));
            client.shutdownOutput();
            assertThat(received.get(5, TimeUnit.MINUTES)).isEqualTo("after the end");
            Eventually.isTrue("relay is over", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.RESET)).isZero();
        }
    }

    @Test
    void goesOnFromBackendToClientAfterClientEnds() throws Exception {
        try (Backend backend = Backend.start(socket -> {
                    byte[] request = socket.getInputStream().readAllBytes();
                    socket.getOutputStream().write(request);
                    socket.getOutputStream().write(new byte[4 << 20]);
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            client.getOutputStream().write(PING);
            client.shutdownOutput();
            assertThat(client.getInputStream().readAllBytes()).hasSize(PING.length + (4 << 20));
            Eventually.isTrue("relay is over", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.RESET)).isZero();
        }
    }

    @Test
    void keepsWhatClientSentBeforeBackendAnswered() throws Exception {
        try (Backend.SilentBackend silent = Backend.silent();
                Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(silent.endpoint(), echo.endpoint());
                Socket client = relay.connect()) {
            client.getOutputStream().write(PING);
            assertThat(client.getInputStream().readNBytes(PING.length)).isEqualTo(PING);
            assertThat(relay.metrics().of(RelayCount.DIALS_TIMED_OUT)).isEqualTo(1);
        }
    }

    @Test
    void keepsBytesAndEndThatClientSentBeforeBackendAnswered() throws Exception {
        byte[] request = new byte[100_000];
        new java.util.Random(7).nextBytes(request);
        for (int bytes : List.of(0, PING.length, request.length)) {
            try (Backend.SilentBackend silent = Backend.silent();
                    Backend echo = Backend.echo();
                    RelayFixture relay = RelayFixture.withDefaults().endpoints(silent.endpoint(), echo.endpoint());
                    Socket client = relay.connect()) {
                client.getOutputStream().write(request, 0, bytes);
                client.shutdownOutput();
                assertThat(client.getInputStream().readAllBytes()).isEqualTo(java.util.Arrays.copyOf(request, bytes));
                assertThat(relay.metrics().of(RelayCount.DIALS_TIMED_OUT)).isEqualTo(1);
            }
        }
    }

    /** A refused upload: the backend answers and closes while the client still sends. */
    @Test
    void passesOnTheAnswerOfBackendThatClosesWhileClientSends() throws Exception {
        int size = 20_000;
        for (int round = 0; round < 20; round++) {
            try (Backend backend = Backend.start(socket -> {
                        socket.getInputStream().readNBytes(1000);
                        socket.getOutputStream().write(new byte[size]);
                    });
                    RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                    Socket client = relay.connect()) {
                Thread upload = new Thread(() -> sendUntilRefused(client));
                upload.start();
                assertThat(readUntilCut(client)).as("round " + round).isEqualTo(size);
                upload.join();
                Eventually.isTrue("relay is over", () -> relay.metrics().active.get() == 0);
            }
        }
    }

    private static void sendUntilRefused(Socket client) {
        byte[] piece = new byte[1000];
        try {
            for (int i = 0; i < 100_000; i++) {
                client.getOutputStream().write(piece);
            }
        } catch (IOException e) {
            // Refused.
        }
    }

    private static int readUntilCut(Socket client) {
        int read = 0;
        byte[] buffer = new byte[4096];
        try {
            for (int count = client.getInputStream().read(buffer);
                    count >= 0;
                    count = client.getInputStream().read(buffer)) {
                read += count;
            }
        } catch (IOException e) {
            // Cut.
        }
        return read;
    }

    @Test
    void carriesManyConnections() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint())) {
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                clients.add(relay.connect());
            }
            for (Socket client : clients) {
                client.getOutputStream().write(PING);
            }
            for (Socket client : clients) {
                assertThat(client.getInputStream().readNBytes(PING.length)).isEqualTo(PING);
            }
            assertThat(relay.metrics().active.get()).isEqualTo(500);
            for (int i = 0; i < clients.size(); i++) {
                if (i % 3 == 0) {
                    Clients.reset(clients.get(i));
                } else {
                    clients.get(i).close();
                }
            }
            Eventually.isTrue("relays are over", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.CONNECTED)).isEqualTo(500);
        }
    }
}
