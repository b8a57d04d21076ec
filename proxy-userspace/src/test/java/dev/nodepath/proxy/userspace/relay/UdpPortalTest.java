package dev.nodepath.proxy.userspace.relay;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.NoLeaks;
import dev.nodepath.proxy.userspace.RelayFixture;
import dev.nodepath.proxy.userspace.RelayThreads;
import dev.nodepath.proxy.userspace.UdpBackend;
import dev.nodepath.proxy.userspace.UdpFixture;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptClients;
import dev.nodepath.proxy.userspace.portals.Portal;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
@Timeout(900)
class UdpPortalTest {
    private static final RelayConfig PATIENT =
            RelayConfigTest.CONFIG.with(draft -> draft.udpTimeout = Duration.ofSeconds(60));

    @Test
    void passesDatagramsBothWaysUpToTheLargest() throws Exception {
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(echo.endpoint());
                DatagramSocket client = relay.client()) {
            for (int size : new int[] {1, 64, 4_097, 65_507}) {
                byte[] content = new byte[size];
                new Random(size).nextBytes(content);
                assertThat(UdpFixture.ask(client, content)).as(size + " bytes").isEqualTo(content);
            }
            assertThat(relay.metrics().of(RelayCount.FLOWS_OPENED)).isEqualTo(1);
            assertThat(relay.metrics().of(RelayCount.DATAGRAMS_FROM_CLIENTS)).isEqualTo(4);
            assertThat(relay.metrics().of(RelayCount.DATAGRAMS_FROM_BACKENDS)).isEqualTo(4);
        }
    }

    /** The JDK sends an empty datagram from a socket alone that is not connected. */
    @Test
    void passesEmptyDatagramsBothWays() throws Exception {
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(echo.endpoint());
                DatagramSocket client = new DatagramSocket()) {
            client.setSoTimeout(10_000);
            DatagramPacket packet = new DatagramPacket(new byte[10], 10);
            for (int round = 0; round < 3; round++) {
                client.send(new DatagramPacket(new byte[0], 0, relay.address()));
                client.receive(packet);
                assertThat(packet.getLength()).isZero();
                assertThat(packet.getSocketAddress()).isEqualTo(relay.address());
                packet.setLength(10);
            }
            assertThat(relay.metrics().of(RelayCount.DATAGRAMS_FROM_BACKENDS)).isEqualTo(3);
            assertThat(relay.metrics().of(RelayCount.DATAGRAMS_DROPPED)).isZero();
        }
    }

    @Test
    void steadyFlowsAllocateNothing() throws Exception {
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay =
                        new UdpFixture(PATIENT.with(draft -> draft.eventLoops = 1)).endpoints(echo.endpoint());
                DatagramSocket one = relay.client();
                DatagramSocket other = relay.client()) {
            byte[] content = new byte[64];
            for (int i = 0; i < 20_000; i++) {
                UdpFixture.ask(i % 2 == 0 ? one : other, content);
            }
            long before = RelayThreads.allocatedBytes();
            int requests = 5_000;
            for (int i = 0; i < requests; i++) {
                UdpFixture.ask(i % 2 == 0 ? one : other, content);
            }
            // A periodic look or the compiler's own bookkeeping may fall into it; a byte for each request may not.
            assertThat((RelayThreads.allocatedBytes() - before) / requests).isZero();
        }
    }

    @Test
    void closesTheFlowsOfAnEventLoopThatHasEnded() throws Exception {
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(echo.endpoint());
                DatagramSocket client = relay.client()) {
            UdpFixture.ask(client, new byte[1]);
            RelayThreads.end(relay.loop());
            relay.closePortals();
            assertThat(relay.metrics().flowsActive.get()).isZero();
        }
    }

    @Test
    void passesManyDatagramsOfManyClients() throws Exception {
        try (UdpBackend a = UdpBackend.named("a");
                UdpBackend b = UdpBackend.named("b");
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(a.endpoint(), b.endpoint())) {
            StringBuilder answers = new StringBuilder();
            List<DatagramSocket> clients = new ArrayList<>();
            try {
                for (int i = 0; i < 20; i++) {
                    DatagramSocket client = relay.client();
                    // They stay open, or the kernel could give a later one the port, and so the flow, of an earlier
                    // one.
                    clients.add(client);
                    String first = text(UdpFixture.ask(client, "x".getBytes(US_ASCII)));
                    for (int k = 0; k < 20; k++) {
                        assertThat(text(UdpFixture.ask(client, "x".getBytes(US_ASCII))))
                                .isEqualTo(first);
                    }
                    answers.append(first);
                }
            } finally {
                clients.forEach(DatagramSocket::close);
            }
            assertThat(answers).hasToString("ab".repeat(10));
        }
    }

    @Test
    void flowEndsWhenItIsSilent() throws Exception {
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(
                                RelayConfigTest.CONFIG.with(draft -> draft.udpTimeout = Duration.ofSeconds(1)))
                        .endpoints(echo.endpoint());
                DatagramSocket client = relay.client()) {
            UdpFixture.ask(client, new byte[] {1});
            Eventually.isTrue("flow is over", () -> relay.metrics().flowsActive.get() == 0);
            UdpFixture.ask(client, new byte[] {1});
            assertThat(relay.metrics().of(RelayCount.FLOWS_OPENED)).isEqualTo(2);
        }
    }

    @Test
    void logsAFlowWhenItHasEnded() throws Exception {
        try (LogCapture log = new LogCapture("dev.nodepath.proxy.userspace.access");
                UdpBackend backend = UdpBackend.named("abc");
                UdpFixture relay =
                        new UdpFixture(PATIENT.with(draft -> draft.accessLog = true)).endpoints(backend.endpoint());
                DatagramSocket client = relay.client()) {
            UdpFixture.ask(client, new byte[5]);
            relay.endpoints();
            assertThat(log.lines("relay.access")).singleElement().asString().contains("bytes_in=5 bytes_out=3");
        }
    }

    @Test
    void endpointThatIsGoneLosesItsFlows() throws Exception {
        try (UdpBackend a = UdpBackend.named("a");
                UdpBackend b = UdpBackend.named("b");
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(a.endpoint());
                DatagramSocket client = relay.client()) {
            assertThat(text(UdpFixture.ask(client, new byte[] {1}))).isEqualTo("a");
            relay.endpoints(b.endpoint());
            assertThat(text(UdpFixture.ask(client, new byte[] {1}))).isEqualTo("b");
            relay.endpoints();
            Eventually.isTrue("flow is over", () -> relay.metrics().flowsActive.get() == 0);
            assertUnanswered(client);
            Eventually.isTrue("it is dropped", () -> relay.metrics().of(RelayCount.DATAGRAMS_DROPPED) == 1);
        }
    }

    @Test
    void refusalMovesTheFlowToAnotherEndpoint() throws Exception {
        try (UdpBackend live = UdpBackend.named("b");
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(UdpBackend.refusing(), live.endpoint());
                DatagramSocket client = relay.client()) {
            client.setSoTimeout(200);
            Eventually.isTrue("the other endpoint answers", () -> {
                try {
                    return text(UdpFixture.ask(client, new byte[] {1})).equals("b");
                } catch (AssertionError e) {
                    return false;
                }
            });
            assertThat(relay.metrics().of(RelayCount.FLOWS_REFUSED)).isEqualTo(1);
            assertThat(relay.metrics().flowsActive.get()).isEqualTo(1);
        }
    }

    /** That a socket could be opened says nothing of the endpoint. */
    @Test
    void anEndpointThatRefusesAgainAndAgainIsLeftOut() throws Exception {
        Endpoint dead = UdpBackend.refusing();
        try (UdpBackend live = UdpBackend.named("b");
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(dead, live.endpoint())) {
            for (int i = 0; i < 4 * RelayEndpoint.FAILURES_MAX; i++) {
                try (DatagramSocket client = relay.client()) {
                    client.setSoTimeout(100);
                    Eventually.isTrue("the live endpoint answers", () -> {
                        try {
                            return text(UdpFixture.ask(client, new byte[] {1})).equals("b");
                        } catch (AssertionError e) {
                            return false;
                        }
                    });
                }
            }
            assertThat(relay.metrics().of(RelayCount.FLOWS_REFUSED)).isEqualTo(RelayEndpoint.FAILURES_MAX);
            assertThat(relay.service().counts().endpoints())
                    .as("dial times of a socket that dials nobody")
                    .allSatisfy(endpoint -> assertThat(endpoint.dialTimes()).containsOnly(0L));
        }
    }

    @Test
    void newFlowTakesThePlaceOfTheOneThatWasSilentLongest() throws Exception {
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay =
                        new UdpFixture(PATIENT.with(draft -> draft.flowsMax = 2)).endpoints(echo.endpoint());
                DatagramSocket first = relay.client();
                DatagramSocket second = relay.client();
                DatagramSocket third = relay.client()) {
            UdpFixture.ask(first, new byte[] {1});
            UdpFixture.ask(second, new byte[] {1});
            UdpFixture.ask(first, new byte[] {1});
            UdpFixture.ask(third, new byte[] {1});
            assertThat(relay.metrics().flowsActive.get()).isEqualTo(2);
            assertThat(relay.metrics().of(RelayCount.FLOWS_EVICTED)).isEqualTo(1);
            UdpFixture.ask(first, new byte[] {1});
            assertThat(relay.metrics().of(RelayCount.FLOWS_OPENED)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aServiceWithManyFlowsMakesRoomForThoseOfOthers(int eventLoops) throws Exception {
        RelayConfig few = PATIENT.with(draft -> {
            draft.eventLoops = eventLoops;
            draft.flowsMax = 4;
        });
        List<DatagramSocket> clients = new ArrayList<>();
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(few).endpoints(echo.endpoint())) {
            for (int i = 0; i < 4; i++) {
                DatagramSocket client = relay.client();
                clients.add(client);
                UdpFixture.ask(client, new byte[] {1});
            }
            // Some of these are on the other event loop, if there is one.
            for (int i = 0; i < 4; i++) {
                DatagramSocket client = relay.clientOf("other-" + i, echo.endpoint());
                clients.add(client);
                UdpFixture.ask(client, new byte[] {1});
            }
            Eventually.isTrue(
                    "there are as many as may be",
                    () -> relay.metrics().flowsActive.get() == 4);
            assertThat(relay.metrics().of(RelayCount.FLOWS_EVICTED)).isEqualTo(4);
            assertThat(relay.metrics().of(RelayCount.DATAGRAMS_DROPPED)).isZero();
        } finally {
            clients.forEach(DatagramSocket::close);
        }
    }

    /** The access log of the flow that makes room is written between the choice of an endpoint and the new flow. */
    @Test
    void anEndpointThatGoesWhileAFlowToItBeginsIsKnownUntilTheFlowEnds() throws Exception {
        RelayConfig one = PATIENT.with(draft -> {
            draft.flowsMax = 1;
            draft.accessLog = true;
        });
        Logger access = Logger.getLogger("dev.nodepath.proxy.userspace.access");
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(one).endpoints(echo.endpoint());
                DatagramSocket first = relay.client();
                DatagramSocket second = relay.client()) {
            Portal empty = RelayFixture.portal(RelayFixture.UDP, List.of());
            Handler update = new OnLine(() -> relay.service().update(empty, InternalClients.NONE, KeptClients.NONE));
            access.addHandler(update);
            try {
                UdpFixture.ask(first, new byte[] {1});
                UdpFixture.ask(second, new byte[] {1});
            } finally {
                access.removeHandler(update);
            }
            assertThat(relay.metrics().flowsActive.get()).isEqualTo(1);
            assertThat(relay.service().departed(List.of()))
                    .singleElement()
                    .satisfies(endpoint -> assertThat(endpoint.load()).isEqualTo(1));
        }
    }

    /** Does something at each line of a log. */
    private static final class OnLine extends Handler {
        private final Runnable task;

        OnLine(Runnable task) {
            this.task = task;
        }

        @Override
        public void publish(LogRecord line) {
            task.run();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void findsTheFreePortsOfARangeAndTellsWhenThereAreNone() throws Exception {
        try (UdpBackend taken = UdpBackend.echo()) {
            int port = taken.endpoint().port();
            RelayConfig config = PATIENT.with(draft -> draft.portRange = Optional.of(new PortRange(port, port)));
            assertThatThrownBy(() -> new UdpFixture(config))
                    .isInstanceOf(IOException.class)
                    .hasMessage("port range " + port + "-" + port + ": no port can be opened");
        }
    }

    private static void assertUnanswered(DatagramSocket client) throws IOException {
        client.setSoTimeout(200);
        assertThatThrownBy(() -> UdpFixture.ask(client, new byte[] {1})).isInstanceOf(AssertionError.class);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, US_ASCII);
    }
}
