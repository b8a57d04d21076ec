package dev.nodepath.proxy.userspace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeaks.class)
@Timeout(60)
class RelayTest {
    private static final byte[] PING = "ping".getBytes(US_ASCII);

    @Test
    void passesBytesBothWays() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint());
                Socket client = relay.connect()) {
            assertEchoes(client);
            assertEchoes(client);
            assertThat(relay.counts().bytesFromClients()).isEqualTo(2L * PING.length);
            assertThat(relay.counts().bytesFromBackends()).isEqualTo(2L * PING.length);
            assertThat(relay.counts().active()).isEqualTo(1);
        }
    }

    @Test
    void takesEndpointsInTurn() throws Exception {
        try (Backend a = Backend.named("a");
                Backend b = Backend.named("b");
                RelayFixture relay = RelayFixture.withDefaults().endpoints(a.endpoint(), b.endpoint())) {
            StringBuilder answers = new StringBuilder();
            for (int i = 0; i < 6; i++) {
                answers.append(nameOfBackend(relay));
            }
            assertThat(answers).hasToString("ababab");
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
            assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo("after the end");
            Conditions.await("relay is over", () -> relay.counts().active() == 0);
            assertThat(relay.counts().reset()).isZero();
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
            Conditions.await("relay is over", () -> relay.counts().active() == 0);
            assertThat(relay.counts().reset()).isZero();
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
            assertThat(relay.counts().dialsTimedOut()).isEqualTo(1);
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
                assertThat(relay.counts().dialsTimedOut()).isEqualTo(1);
            }
        }
    }

    @Test
    void forgetsClientThatResetsWhileDialling() throws Exception {
        try (Backend.SilentBackend silent = Backend.silent();
                RelayFixture relay = new RelayFixture(slowDials()).endpoints(silent.endpoint())) {
            for (int i = 0; i < 10; i++) {
                Socket client = relay.connect();
                client.getOutputStream().write(PING);
                client.shutdownOutput();
                reset(client);
            }
            Conditions.await(
                    "relays are over",
                    () -> relay.counts().accepted() == 10 && relay.counts().active() == 0);
            assertThat(relay.counts().dialsTimedOut()).isZero();
        }
    }

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
            reset(client);
            assertThat(outcome.get(30, TimeUnit.SECONDS)).isInstanceOf(SocketException.class);
            Conditions.await("relay is over", () -> relay.counts().active() == 0);
            assertThat(relay.counts().reset()).isEqualTo(1);
        }
    }

    @Test
    void resetOfBackendResetsClient() throws Exception {
        try (Backend backend = Backend.start(socket -> {
                    socket.getInputStream().readNBytes(PING.length);
                    reset(socket);
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            client.getOutputStream().write(PING);
            assertReset(client);
        }
    }

    /** After the backend's end the transport no longer reads from it, so it would not see the reset by itself. */
    @Test
    void resetOfBackendThatEndedItsStreamResetsClient() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        try (Backend backend = Backend.start(socket -> {
                    socket.shutdownOutput();
                    ended.await();
                    reset(socket);
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            ended.countDown();
            Conditions.await("relay is over", () -> relay.counts().active() == 0);
            assertThat(relay.counts().reset()).isEqualTo(1);
        }
    }

    @Test
    void passesOverRefusingEndpointAtOnce() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(Backend.refusing(), echo.endpoint())) {
            for (int i = 0; i < 10; i++) {
                try (Socket client = relay.connect()) {
                    assertEchoes(client);
                }
            }
            // As in kube-proxy a try uses up a turn, so of two endpoints the dead one comes first each time, until it
            // has failed too often and is left out.
            assertThat(relay.counts().dialsRefused()).isEqualTo(RelayEndpoint.FAILURES_MAX);
            assertThat(relay.counts().dialsTimedOut()).isZero();
        }
    }

    @Test
    void resetsClientIfNoEndpointAnswers() throws Exception {
        try (RelayFixture relay = RelayFixture.withDefaults().endpoints(Backend.refusing(), Backend.refusing());
                Socket client = relay.connect()) {
            assertReset(client);
            assertThat(relay.counts().dialsRefused()).isEqualTo(4);
            assertThat(relay.counts().undialled()).isEqualTo(1);
        }
    }

    @Test
    void resetsClientIfThereAreNoEndpoints() throws Exception {
        try (RelayFixture relay = RelayFixture.withDefaults();
                Socket client = relay.connect()) {
            assertReset(client);
            assertThat(relay.counts().withoutEndpoints()).isEqualTo(1);
        }
    }

    @Test
    void resetsClientThatMeansNoServicePort() throws Exception {
        Destination unknown = new Destination(RelayFixture.SERVICE.address(), 81);
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(RelayConfigTest.CONFIG, (client, family) -> unknown)
                        .endpoints(echo.endpoint());
                Socket client = relay.connect()) {
            assertReset(client);
            assertThat(relay.counts().withoutPortal()).isEqualTo(1);
        }
    }

    @Test
    void resetsClientThatNoRuleHasLedHere() throws Exception {
        OriginalDestination failing = (client, family) -> {
            throw new IOException("no translation");
        };
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(RelayConfigTest.CONFIG, failing).endpoints(echo.endpoint());
                Socket client = relay.connect()) {
            assertReset(client);
            assertThat(relay.counts().withoutTranslation()).isEqualTo(1);
        }
    }

    @Test
    void servesOthersWhileAnEndpointIsSilent() throws Exception {
        try (Backend.SilentBackend silent = Backend.silent();
                Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(slowDials()).endpoints(silent.endpoint(), echo.endpoint());
                Socket waiting = relay.connect()) {
            Conditions.await("first client is accepted", () -> relay.counts().accepted() == 1);
            for (int i = 0; i < 10; i++) {
                try (Socket client = relay.connect()) {
                    assertEchoes(client);
                }
                // Skips the turn of the silent endpoint.
                relay.skipTurn();
            }
            assertThat(relay.counts().dialsTimedOut()).isZero();
            relay.endpoints(echo.endpoint());
            assertEchoes(waiting);
            assertThat(relay.counts().dialsTimedOut()).isEqualTo(1);
        }
    }

    /** A first try long enough for a slow machine to serve other clients in. */
    private static RelayConfig slowDials() {
        return RelayConfigTest.CONFIG
                .change()
                .eventLoops(1)
                .dialTimeouts(List.of(Duration.ofSeconds(3), Duration.ofSeconds(3)))
                .build();
    }

    @Test
    void triesEndpointsAsTheyAreThen() throws Exception {
        try (Backend.SilentBackend silent = Backend.silent();
                Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(silent.endpoint());
                Socket client = relay.connect()) {
            Conditions.await("client is accepted", () -> relay.counts().accepted() == 1);
            relay.endpoints(echo.endpoint());
            assertEchoes(client);
        }
    }

    @Test
    void removedEndpointKeepsItsConnectionsAndGetsNoNewOnes() throws Exception {
        try (Backend leaving = Backend.echo();
                Backend staying = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(leaving.endpoint());
                Socket old = relay.connect()) {
            assertEchoes(old);
            relay.endpoints(staying.endpoint());
            for (int i = 0; i < 5; i++) {
                try (Socket client = relay.connect()) {
                    assertEchoes(client);
                }
            }
            assertThat(leaving.connections()).isEqualTo(1);
            assertThat(staying.connections()).isEqualTo(5);
            assertEchoes(old);
        }
    }

    /** What an upload that is refused looks like: the backend answers and closes while the client still sends. */
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
                Conditions.await("relay is over", () -> relay.counts().active() == 0);
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
    void sharesTheTurnsOfADeadEndpointAmongTheOthers() throws Exception {
        try (Backend a = Backend.echo();
                Backend b = Backend.echo();
                RelayFixture relay =
                        RelayFixture.withDefaults().endpoints(Backend.refusing(), a.endpoint(), b.endpoint())) {
            for (int i = 0; i < 60; i++) {
                try (Socket client = relay.connect()) {
                    assertEchoes(client);
                }
            }
            assertThat(a.connections()).isEqualTo(30);
            assertThat(b.connections()).isEqualTo(30);
        }
    }

    @Test
    void leavesAnEndpointThatIsRemovedWhileItIsDialled() throws Exception {
        RelayConfig patient = RelayConfigTest.CONFIG
                .change()
                .eventLoops(1)
                .dialTimeouts(List.of(Duration.ofSeconds(20), Duration.ofSeconds(20)))
                .build();
        try (Backend live = Backend.echo();
                Backend.SilentBackend late = Backend.silent();
                RelayFixture relay = new RelayFixture(patient).endpoints(late.endpoint());
                Socket client = relay.connect()) {
            Conditions.await("client is accepted", () -> relay.counts().active() == 1);
            relay.endpoints(live.endpoint());
            late.acceptAll();
            assertEchoes(client);
            assertThat(live.connections()).isEqualTo(1);
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
            assertReset(client);
            assertThat(relay.counts().lingerExpired()).isEqualTo(1);
            forever.countDown();
        }
    }

    /** The kernel's buffers, some MiB, drain long after the relay's own are empty. */
    @Test
    void keepsHalfClosedConnectionWhoseReaderIsSlow() throws Exception {
        int size = 32 << 20;
        RelayConfig config = RelayFixture.config(Duration.ofSeconds(1), RelayConfig.CONNECTIONS_MAX);
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
                // Slow on purpose: four seconds in all, four times the linger.
                LockSupport.parkNanos(Duration.ofMillis(40).toNanos());
            }
            assertThat(relay.counts().lingerExpired()).isZero();
        }
    }

    @Test
    void connectionBeyondTheLimitIsReset() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay =
                        new RelayFixture(RelayFixture.config(Duration.ofSeconds(60), 1)).endpoints(echo.endpoint());
                Socket first = relay.connect()) {
            assertEchoes(first);
            try (Socket second = relay.connect()) {
                assertReset(second);
            }
            assertThat(relay.counts().overLimit()).isEqualTo(1);
            assertEchoes(first);
            first.shutdownOutput();
            Conditions.await("first is over", () -> relay.counts().active() == 0);
            try (Socket third = relay.connect()) {
                assertEchoes(third);
            }
        }
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
            assertThat(relay.counts().active()).isEqualTo(500);
            for (int i = 0; i < clients.size(); i++) {
                if (i % 3 == 0) {
                    reset(clients.get(i));
                } else {
                    clients.get(i).close();
                }
            }
            Conditions.await("relays are over", () -> relay.counts().active() == 0);
            assertThat(relay.counts().connected()).isEqualTo(500);
        }
    }

    @Test
    void closingResetsWhatIsOpen() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint());
                Socket client = relay.connect()) {
            assertEchoes(client);
            int port = relay.address().getPort();
            relay.server.close();
            assertReset(client);
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                    .isInstanceOf(IOException.class);
        }
    }

    private static String nameOfBackend(RelayFixture relay) throws IOException {
        try (Socket client = relay.connect()) {
            return new String(client.getInputStream().readNBytes(1), US_ASCII);
        }
    }

    static void assertEchoes(Socket client) throws IOException {
        client.getOutputStream().write(PING);
        assertThat(client.getInputStream().readNBytes(PING.length)).isEqualTo(PING);
    }

    static void assertReset(Socket client) {
        assertThatThrownBy(() -> client.getInputStream().read())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }

    static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
