package dev.nodepath.proxy.userspace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.Balancer;
import dev.nodepath.proxy.userspace.relay.OriginalDestination;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import dev.nodepath.proxy.userspace.relay.RelayEndpoint;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The endpoint that a client gets, and the handling of an endpoint that does not answer. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class RelayDialTest {
    private static final byte[] PING = "ping".getBytes(US_ASCII);

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
    void forgetsClientThatResetsWhileDialling() throws Exception {
        try (Backend.SilentBackend silent = Backend.silent();
                RelayFixture relay = new RelayFixture(slowDials()).endpoints(silent.endpoint())) {
            for (int i = 0; i < 10; i++) {
                Socket client = relay.connect();
                client.getOutputStream().write(PING);
                client.shutdownOutput();
                Clients.reset(client);
            }
            Eventually.isTrue(
                    "relays are over",
                    () -> relay.metrics().of(RelayCount.ACCEPTED) == 10
                            && relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.DIALS_TIMED_OUT)).isZero();
        }
    }

    @Test
    void passesOverRefusingEndpointAtOnce() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(Backend.refusing(), echo.endpoint())) {
            for (int i = 0; i < 10; i++) {
                try (Socket client = relay.connect()) {
                    Clients.assertEchoes(client);
                }
            }
            // As in kube-proxy a try uses up a turn, so of two endpoints the dead one comes first each time, until it
            // has failed too often and is left out.
            assertThat(relay.metrics().of(RelayCount.DIALS_REFUSED)).isEqualTo(RelayEndpoint.FAILURES_MAX);
            assertThat(relay.metrics().of(RelayCount.DIALS_TIMED_OUT)).isZero();
        }
    }

    /** It has no connections, and so would be the choice again and again. */
    @ParameterizedTest
    @EnumSource(Balancer.class)
    void triesNoEndpointTwiceWhileThereAreOthers(Balancer balancer) throws Exception {
        RelayConfig twoTries = RelayConfigTest.CONFIG.with(draft -> {
            draft.balancer = balancer;
            draft.dialTimeouts = List.of(Duration.ofSeconds(20), Duration.ofSeconds(20));
        });
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(twoTries).endpoints(Backend.refusing(), echo.endpoint())) {
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Socket client = relay.connect();
                clients.add(client);
                Clients.assertEchoes(client);
            }
            for (Socket client : clients) {
                client.close();
            }
            assertThat(relay.metrics().of(RelayCount.DIALS_REFUSED)).isLessThanOrEqualTo(RelayEndpoint.FAILURES_MAX);
        }
    }

    /** The event loop is held up between the dial and the event of its success. */
    @Test
    void keepsAConnectionThatCameAboutWhileTheEventLoopWasLate() throws Exception {
        Duration timeout = Duration.ofMillis(50);
        CountDownLatch allConnected = new CountDownLatch(1);
        AtomicInteger clients = new AtomicInteger();
        OriginalDestination slow = (client, family) -> {
            int number = clients.incrementAndGet();
            if (number == 1) {
                awaitUninterruptibly(allConnected);
            }
            if (number == 3) {
                long until = System.nanoTime() + 4 * timeout.toNanos();
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
            }
            return RelayFixture.SERVICE;
        };
        RelayConfig config = RelayConfigTest.CONFIG.with(draft -> {
            draft.eventLoops = 1;
            draft.dialTimeouts = List.of(timeout);
        });
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(config, slow).endpoints(echo.endpoint());
                Socket first = relay.connect();
                Socket second = relay.connect();
                Socket third = relay.connect()) {
            allConnected.countDown();
            Clients.assertEchoes(first);
            Clients.assertEchoes(second);
            Clients.assertEchoes(third);
            assertThat(relay.metrics().of(RelayCount.DIALS_TIMED_OUT)).isZero();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void resetsClientIfNoEndpointAnswers() throws Exception {
        try (RelayFixture relay = RelayFixture.withDefaults().endpoints(Backend.refusing(), Backend.refusing())) {
            Clients.assertReset(relay::connect);
            assertThat(relay.metrics().of(RelayCount.DIALS_REFUSED)).isEqualTo(4);
            assertThat(relay.metrics().of(RelayCount.UNDIALLED)).isEqualTo(1);
        }
    }

    @Test
    void resetsClientIfThereAreNoEndpoints() throws Exception {
        try (RelayFixture relay = RelayFixture.withDefaults()) {
            Clients.assertReset(relay::connect);
            assertThat(relay.metrics().of(RelayCount.WITHOUT_ENDPOINTS)).isEqualTo(1);
        }
    }

    @Test
    void servesOthersWhileAnEndpointIsSilent() throws Exception {
        try (Backend.SilentBackend silent = Backend.silent();
                Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(slowDials()).endpoints(silent.endpoint(), echo.endpoint());
                Socket waiting = relay.connect()) {
            Eventually.isTrue("first client is accepted", () -> relay.metrics().of(RelayCount.ACCEPTED) == 1);
            for (int i = 0; i < 10; i++) {
                try (Socket client = relay.connect()) {
                    Clients.assertEchoes(client);
                }
                // Skips the turn of the silent endpoint.
                relay.skipTurn();
            }
            assertThat(relay.metrics().of(RelayCount.DIALS_TIMED_OUT)).isZero();
            relay.endpoints(echo.endpoint());
            Clients.assertEchoes(waiting);
            assertThat(relay.metrics().of(RelayCount.DIALS_TIMED_OUT)).isEqualTo(1);
        }
    }

    @Test
    void triesEndpointsAsTheyAreThen() throws Exception {
        try (Backend.SilentBackend silent = Backend.silent();
                Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(silent.endpoint());
                Socket client = relay.connect()) {
            Eventually.isTrue("client is accepted", () -> relay.metrics().of(RelayCount.ACCEPTED) == 1);
            relay.endpoints(echo.endpoint());
            Clients.assertEchoes(client);
        }
    }

    @Test
    void removedEndpointKeepsItsConnectionsAndGetsNoNewOnes() throws Exception {
        try (Backend leaving = Backend.echo();
                Backend staying = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(leaving.endpoint());
                Socket old = relay.connect()) {
            Clients.assertEchoes(old);
            relay.endpoints(staying.endpoint());
            for (int i = 0; i < 5; i++) {
                try (Socket client = relay.connect()) {
                    Clients.assertEchoes(client);
                }
            }
            assertThat(leaving.connections()).isEqualTo(1);
            assertThat(staying.connections()).isEqualTo(5);
            Clients.assertEchoes(old);
        }
    }

    @Test
    void sharesTheTurnsOfADeadEndpointAmongTheOthers() throws Exception {
        try (Backend a = Backend.echo();
                Backend b = Backend.echo();
                RelayFixture relay =
                        RelayFixture.withDefaults().endpoints(Backend.refusing(), a.endpoint(), b.endpoint())) {
            for (int i = 0; i < 60; i++) {
                try (Socket client = relay.connect()) {
                    Clients.assertEchoes(client);
                }
            }
            assertThat(a.connections()).isEqualTo(30);
            assertThat(b.connections()).isEqualTo(30);
        }
    }

    @Test
    void leavesAnEndpointThatIsRemovedWhileItIsDialled() throws Exception {
        RelayConfig patient = RelayConfigTest.CONFIG.with(draft -> {
            draft.eventLoops = 1;
            draft.dialTimeouts = List.of(Duration.ofSeconds(20), Duration.ofSeconds(20));
        });
        try (Backend live = Backend.echo();
                Backend.SilentBackend late = Backend.silent();
                RelayFixture relay = new RelayFixture(patient).endpoints(late.endpoint());
                Socket client = relay.connect()) {
            Eventually.isTrue("client is accepted", () -> relay.metrics().active.get() == 1);
            relay.endpoints(live.endpoint());
            late.acceptAll();
            Clients.assertEchoes(client);
            assertThat(live.connections()).isEqualTo(1);
        }
    }

    /** A first try long enough for a slow machine to serve other clients in. */
    private static RelayConfig slowDials() {
        return RelayConfigTest.CONFIG.with(draft -> {
            draft.eventLoops = 1;
            draft.dialTimeouts = List.of(Duration.ofSeconds(10), Duration.ofSeconds(10));
        });
    }

    private static String nameOfBackend(RelayFixture relay) throws IOException {
        try (Socket client = relay.connect()) {
            return new String(client.getInputStream().readNBytes(1), US_ASCII);
        }
    }
}
