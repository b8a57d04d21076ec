package dev.nodepath.proxy.userspace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.Endpoint;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeaks.class)
@Timeout(60)
class UdpPortalTest {
    private static final RelayConfig PATIENT =
            RelayConfigTest.CONFIG.change().udpTimeout(Duration.ofSeconds(60)).build();

    @Test
    void passesDatagramsBothWaysUpToTheLargest() throws Exception {
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(echo.endpoint());
                DatagramSocket client = relay.client()) {
            for (int size : new int[] {1, 64, 4_097, 65_507}) {
                byte[] content = new byte[size];
                new Random(size).nextBytes(content);
                assertThat(ask(client, content)).as(size + " bytes").isEqualTo(content);
            }
            assertThat(relay.counts().flowsOpened()).isEqualTo(1);
            assertThat(relay.counts().datagramsFromClients()).isEqualTo(4);
            assertThat(relay.counts().datagramsFromBackends()).isEqualTo(4);
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
            assertThat(relay.counts().datagramsFromBackends()).isEqualTo(3);
            assertThat(relay.counts().datagramsDropped()).isZero();
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
                    String first = text(ask(client, "x".getBytes(US_ASCII)));
                    for (int k = 0; k < 20; k++) {
                        assertThat(text(ask(client, "x".getBytes(US_ASCII)))).isEqualTo(first);
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
                UdpFixture relay = new UdpFixture(RelayConfigTest.CONFIG
                                .change()
                                .udpTimeout(Duration.ofMillis(100))
                                .build())
                        .endpoints(echo.endpoint());
                DatagramSocket client = relay.client()) {
            ask(client, new byte[] {1});
            Conditions.await("flow is over", () -> relay.counts().flowsActive() == 0);
            ask(client, new byte[] {1});
            assertThat(relay.counts().flowsOpened()).isEqualTo(2);
        }
    }

    @Test
    void logsAFlowWhenItHasEnded() throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger("dev.nodepath.proxy.userspace.access");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try (UdpBackend backend = UdpBackend.named("abc");
                UdpFixture relay =
                        new UdpFixture(PATIENT.change().accessLog(true).build()).endpoints(backend.endpoint());
                DatagramSocket client = relay.client()) {
            ask(client, new byte[5]);
            relay.endpoints();
            assertThat(lines).singleElement().asString().contains("bytes_in=5 bytes_out=3", "relay.access");
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void endpointThatIsGoneLosesItsFlows() throws Exception {
        try (UdpBackend a = UdpBackend.named("a");
                UdpBackend b = UdpBackend.named("b");
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(a.endpoint());
                DatagramSocket client = relay.client()) {
            assertThat(text(ask(client, new byte[] {1}))).isEqualTo("a");
            relay.endpoints(b.endpoint());
            assertThat(text(ask(client, new byte[] {1}))).isEqualTo("b");
            relay.endpoints();
            Conditions.await("flow is over", () -> relay.counts().flowsActive() == 0);
            assertUnanswered(client);
            assertThat(relay.counts().datagramsDropped()).isEqualTo(1);
        }
    }

    @Test
    void refusalMovesTheFlowToAnotherEndpoint() throws Exception {
        try (UdpBackend live = UdpBackend.named("b");
                UdpFixture relay = new UdpFixture(PATIENT).endpoints(UdpBackend.refusing(), live.endpoint());
                DatagramSocket client = relay.client()) {
            client.setSoTimeout(200);
            Conditions.await("the other endpoint answers", () -> {
                try {
                    return text(ask(client, new byte[] {1})).equals("b");
                } catch (AssertionError e) {
                    return false;
                }
            });
            assertThat(relay.counts().flowsRefused()).isEqualTo(1);
            assertThat(relay.counts().flowsActive()).isEqualTo(1);
        }
    }

    @Test
    void newFlowTakesThePlaceOfTheOneThatWasSilentLongest() throws Exception {
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(PATIENT.change().flowsMax(2).build()).endpoints(echo.endpoint());
                DatagramSocket first = relay.client();
                DatagramSocket second = relay.client();
                DatagramSocket third = relay.client()) {
            ask(first, new byte[] {1});
            ask(second, new byte[] {1});
            ask(first, new byte[] {1});
            ask(third, new byte[] {1});
            assertThat(relay.counts().flowsActive()).isEqualTo(2);
            assertThat(relay.counts().flowsEvicted()).isEqualTo(1);
            ask(first, new byte[] {1});
            assertThat(relay.counts().flowsOpened()).isEqualTo(3);
        }
    }

    @Test
    void findsTheFreePortsOfARangeAndTellsWhenThereAreNone() throws Exception {
        try (UdpBackend taken = UdpBackend.echo()) {
            int port = taken.endpoint().port();
            RelayConfig config = PATIENT.change()
                    .portRange(Optional.of(new PortRange(port, port)))
                    .build();
            assertThatThrownBy(() -> new UdpFixture(config))
                    .isInstanceOf(IOException.class)
                    .hasMessage("port range " + port + "-" + port + ": no port can be opened");
        }
    }

    private static byte[] ask(DatagramSocket client, byte[] content) throws IOException {
        client.send(new DatagramPacket(content, content.length));
        DatagramPacket answer = new DatagramPacket(new byte[65_536], 65_536);
        try {
            client.receive(answer);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("no answer to " + content.length + " bytes", e);
        }
        return Arrays.copyOf(answer.getData(), answer.getLength());
    }

    private static void assertUnanswered(DatagramSocket client) throws IOException {
        client.setSoTimeout(200);
        assertThatThrownBy(() -> ask(client, new byte[] {1})).isInstanceOf(AssertionError.class);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, US_ASCII);
    }

    /** A UDP portal on the loopback address. */
    private static final class UdpFixture implements AutoCloseable {
        private final RelayFixture relay;
        private final RelayService service;
        private final UdpPortals portals;
        private Portal portal;

        UdpFixture(RelayConfig config) throws IOException {
            relay = new RelayFixture(RelayConfigTest.CONFIG
                    .change()
                    .udpTimeout(config.udpTimeout())
                    .flowsMax(config.flowsMax())
                    .accessLog(config.accessLog())
                    .build());
            portal = portal(List.of());
            service = new RelayService(portal.key(), config.balancer(), System::nanoTime);
            portals = new UdpPortals(relay.server, config.bindAddress(), new Ports(config.portRange(), new Random(1)));
            try {
                endpoints();
            } catch (IOException e) {
                close();
                throw e;
            }
        }

        private static Portal portal(List<Endpoint> endpoints) {
            return RelayFixture.portal(RelayFixture.UDP, endpoints);
        }

        UdpFixture endpoints(Endpoint... endpoints) throws IOException {
            portal = portal(List.of(endpoints));
            service.update(portal, client -> false);
            for (IOException failure :
                    portals.open(List.of(portal), unused -> service).values()) {
                throw failure;
            }
            return this;
        }

        InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), portals.port(portal, Way.CLUSTER_IP));
        }

        DatagramSocket client() throws IOException {
            DatagramSocket socket = new DatagramSocket();
            socket.setSoTimeout(10_000);
            socket.connect(address());
            return socket;
        }

        RelayMetrics.Counts counts() {
            return relay.counts();
        }

        @Override
        public void close() {
            portals.close();
            relay.close();
        }
    }
}
