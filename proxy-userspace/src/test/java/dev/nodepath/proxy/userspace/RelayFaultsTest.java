package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.OriginalDestination;
import dev.nodepath.proxy.userspace.relay.PortRange;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Endings and misbehaviour on a large scale; nothing may be left of it. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class RelayFaultsTest {
    @Test
    void resetStormLeavesNothing() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint())) {
            for (int round = 0; round < 20; round++) {
                List<Socket> clients = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    Socket client = relay.connect();
                    client.getOutputStream().write(new byte[1000]);
                    clients.add(client);
                }
                for (Socket client : clients) {
                    Clients.reset(client);
                }
            }
            Eventually.isTrue(
                    "relays are over",
                    () -> relay.metrics().active.get() == 0 && relay.metrics().of(RelayCount.ACCEPTED) == 1000);
            try (Socket client = relay.connect()) {
                Clients.assertEchoes(client);
            }
            Eventually.isTrue("backends are over", () -> echo.open() <= 1);
        }
    }

    @Test
    void endpointsThatAcceptAndSayNothingHoldOnlyTheirOwn() throws Exception {
        CountDownLatch forever = new CountDownLatch(1);
        try (Backend mute = Backend.start(socket -> forever.await());
                Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(mute.endpoint(), echo.endpoint())) {
            List<Socket> waiting = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Socket client = relay.connect();
                if (i % 2 == 0) {
                    waiting.add(client);
                    // Until then the next client, on the other event loop, may take this one's turn.
                    Eventually.isTrue("endpoint has the client", () -> mute.connections() == waiting.size());
                } else {
                    Clients.assertEchoes(client);
                    client.close();
                }
            }
            for (Socket client : waiting) {
                client.close();
            }
            forever.countDown();
            Eventually.isTrue("relays are over", () -> relay.metrics().active.get() == 0);
        }
    }

    @Test
    void connectsThatNeverFinishEndInResetsAndDelayNobody() throws Exception {
        RelayConfig config = RelayConfigTest.CONFIG.with(
                draft -> draft.dialTimeouts = List.of(Duration.ofMillis(100), Duration.ofMillis(100)));
        try (Backend.SilentBackend silent = Backend.silent();
                RelayFixture relay = new RelayFixture(config).endpoints(silent.endpoint())) {
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                clients.add(relay.connect());
            }
            for (Socket client : clients) {
                Clients.assertReset(client);
                client.close();
            }
            assertThat(relay.metrics().of(RelayCount.DIALS_TIMED_OUT)).isEqualTo(600);
            assertThat(relay.metrics().of(RelayCount.UNDIALLED)).isEqualTo(300);
        }
    }

    @Test
    void aFaultOfThisProcessEndsOneConnectionAndNotTheEventLoop() throws Exception {
        AtomicInteger clients = new AtomicInteger();
        OriginalDestination faulty = (client, family) -> {
            if (clients.getAndIncrement() == 1) {
                throw new OutOfMemoryError("as if");
            }
            return RelayFixture.SERVICE;
        };
        RelayConfig config = RelayConfigTest.CONFIG.with(draft -> draft.eventLoops = 1);
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(config, faulty).endpoints(echo.endpoint());
                Socket before = relay.connect()) {
            Clients.assertEchoes(before);
            Clients.assertReset(relay::connect);
            Clients.assertEchoes(before);
            try (Socket after = relay.connect()) {
                Clients.assertEchoes(after);
            }
            assertThat(relay.metrics().of(RelayCount.BROKEN_DOWN)).isEqualTo(1);
            assertThat(relay.server.isWhole()).isTrue();
        }
    }

    @Test
    void resetsTheConnectionsOfAnEventLoopThatHasEndedWithoutWaitingForThem() throws Exception {
        RelayConfig config = RelayConfigTest.CONFIG.with(draft -> draft.eventLoops = 1);
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(config).endpoints(echo.endpoint());
                Socket client = relay.connect()) {
            Clients.assertEchoes(client);
            RelayThreads.end(relay.server.loopOf(relay.service.key()).eventLoop());
            relay.server.drain(Duration.ofDays(1), () -> {});
            Clients.assertReset(client);
            assertThat(relay.metrics().active.get()).isZero();
        }
    }

    @Test
    void tellsThatAnEventLoopHasEnded() throws Exception {
        try (LogCapture log = new LogCapture("dev.nodepath.proxy.userspace.relay.RelayLog");
                RelayFixture relay = RelayFixture.withDefaults()) {
            assertThat(relay.server.isWhole()).isTrue();
            RelayThreads.end(relay.server.loopOf(relay.service.key()).eventLoop());
            assertThat(relay.server.isWhole()).isFalse();
            Eventually.isTrue(
                    "it is logged", () -> log.lines("relay.loop_ended").size() == 1);
        }
    }

    @Test
    void drainLetsConnectionsEndAndBreaksOffTheRest() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint());
                Socket patient = relay.connect();
                Socket endless = relay.connect()) {
            Clients.assertEchoes(patient);
            Clients.assertEchoes(endless);
            Thread drain = new Thread(() -> relay.server.drain(Duration.ofMinutes(1), () -> {}));
            drain.start();
            Eventually.isTrue("nobody listens", () -> relay.server.port(IpFamily.IPV4) == 0);
            Clients.assertEchoes(patient);
            Clients.assertEchoes(endless);
            patient.shutdownOutput();
            assertThat(patient.getInputStream().read()).isEqualTo(-1);
            assertThat(drain.isAlive()).isTrue();
            // In place of the end of its time, which a slow machine might reach before all of the above.
            drain.interrupt();
            Clients.assertReset(endless);
            drain.join();
        }
    }

    @Test
    void drainBreaksOffWhatIsOpenWhenItsTimeIsOver() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint());
                Socket endless = relay.connect()) {
            Clients.assertEchoes(endless);
            relay.server.drain(Duration.ofMillis(500), () -> {});
            Clients.assertReset(endless);
        }
    }

    @Test
    void connectionsToAnEndpointThatLeftEveryListAreBrokenOffLater() throws Exception {
        try (Backend leaving = Backend.echo();
                Backend staying = Backend.echo();
                // One event loop takes its clients in the order in which they came.
                RelayFixture relay = new RelayFixture(RelayConfigTest.CONFIG.with(draft -> draft.eventLoops = 1))
                        .endpoints(leaving.endpoint(), staying.endpoint());
                Socket first = relay.connect();
                Socket second = relay.connect()) {
            Clients.assertEchoes(first);
            Clients.assertEchoes(second);
            RemovedEndpoints removedEndpoints = new RemovedEndpoints(relay.server, Duration.ofMillis(50));
            relay.endpoints(staying.endpoint());
            // Unready, but listed still: nothing happens to its connections.
            removedEndpoints.look(relay.service, Set.of(address(leaving), address(staying)));
            Clients.assertEchoes(first);
            removedEndpoints.look(relay.service, Set.of(address(staying)));
            Clients.assertReset(first);
            Clients.assertEchoes(second);
        }
    }

    private static InetSocketAddress address(Backend backend) {
        return new InetSocketAddress(
                backend.endpoint().address().toInetAddress(), backend.endpoint().port());
    }

    @Test
    void takenPortsOfTheRangeArePassedOver() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            int port = taken.getLocalPort();
            RelayConfig config =
                    RelayConfigTest.CONFIG.with(draft -> draft.portRange = Optional.of(new PortRange(port, port + 20)));
            try (Backend echo = Backend.echo();
                    RelayFixture relay = new RelayFixture(config).endpoints(echo.endpoint());
                    Socket client = relay.connect()) {
                assertThat(relay.address().getPort()).isBetween(port + 1, port + 20);
                Clients.assertEchoes(client);
            }
        }
    }

    @Test
    void steadyRelayAllocatesNothing() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(RelayConfigTest.CONFIG.with(draft -> draft.eventLoops = 1))
                        .endpoints(echo.endpoint());
                Socket client = relay.connect()) {
            for (int i = 0; i < 20_000; i++) {
                Clients.assertEchoes(client);
            }
            long before = RelayThreads.allocatedBytes();
            int requests = 5_000;
            for (int i = 0; i < requests; i++) {
                Clients.assertEchoes(client);
            }
            // A periodic look or the compiler's own bookkeeping may fall into it; a byte for each request may not.
            assertThat((RelayThreads.allocatedBytes() - before) / requests).isZero();
        }
    }
}
