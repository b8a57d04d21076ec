package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code --keep-client-address}: a client has connections of its own to an endpoint, from the very port that the
 * endpoint sees the relay's connection come from.
 */
@Tag("netns")
@ExtendWith(NoLeaks.class)
@Timeout(900)
class KeptPortsKernelTest {
    private static final int PORT = 8080;

    /** Five first packets, after 0, 1, 3, 7 and 15 s: a connection that none of them brings about is lost. */
    private static final int LOST_MILLIS = 20_000;

    private final List<Iptables> iptables =
            List.of(new IptablesCommand(IpFamily.IPV4), new IptablesCommand(IpFamily.IPV6));
    private final KernelTestNode node = new KernelTestNode();
    private final UserspaceProxy proxy = new UserspaceProxy("node-a", config(), iptables);

    KeptPortsKernelTest() throws Exception {
        node.addRemotePod("10.244.9.9", "fd00:10:244:9::9");
        node.addSecondPod();
    }

    @AfterEach
    void tearDown() throws Exception {
        proxy.close();
        for (Iptables each : iptables) {
            UserspaceProxy.removeTables(each.family());
        }
        node.removeSecondPod();
        node.remove();
    }

    /** Where the relay connects to, and by which Service. */
    private enum Way {
        TO_ANOTHER_NODE("10.96.0.10", "10.244.9.9", "10.244.0.5", "outside"),
        TO_ANOTHER_NODE_IPV6("fd00:10:96::10", "fd00:10:244:9::9", "fd00:10:244::5", "outside"),
        ON_THE_BRIDGE("10.96.0.10", "10.244.0.6", "10.244.0.5", "second"),
        ON_THE_BRIDGE_IPV6("fd00:10:96::10", "fd00:10:244::6", "fd00:10:244::5", "second");

        private final String clusterIp;
        private final String endpoint;
        private final String client;
        private final String namespace;

        Way(String clusterIp, String endpoint, String client, String namespace) {
            this.clusterIp = clusterIp;
            this.endpoint = endpoint;
            this.client = client;
            this.namespace = namespace;
        }

        boolean isIpv6() {
            return client.contains(":");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConnectionFromThePortThatTheRelayUsesIsAnswered(Way way) throws Exception {
        try (Backend backend = backend(way)) {
            proxy.sync(services(way), ChangeSet.NONE);
            try (Client relayed = new Client(way, 0, way.clusterIp, 80)) {
                assertThat(relayed.seen.address).isEqualTo(way.client);
                try (Client direct = new Client(way, relayed.seen.port, way.endpoint, PORT)) {
                    relayed.exchange();
                    direct.exchange();
                    assertThat(direct.seen.address).isEqualTo(way.client);
                }
                relayed.exchange();
            }
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theRelayConnectsWhereTheClientHasItsOnlyPortAlready(Way way) throws Exception {
        try (Backend backend = backend(way)) {
            proxy.sync(services(way), ChangeSet.NONE);
            try (Client direct = new Client(way, 0, way.endpoint, PORT)) {
                String before = node.localPorts(direct.seen.port + " " + direct.seen.port);
                try (Client relayed = new Client(way, 0, way.clusterIp, 80)) {
                    relayed.exchange();
                    direct.exchange();
                    assertThat(relayed.seen.address).isEqualTo(way.client);
                } finally {
                    node.localPorts(before);
                }
                direct.exchange();
            }
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    /** The relay's connection has ended, and its end waits on this node (TIME_WAIT) or at the endpoint. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionFromThePortOfAnEndedOneIsAnswered(boolean clientEnds) throws Exception {
        for (Way way : Way.values()) {
            try (Backend backend = backend(way)) {
                proxy.sync(services(way), ChangeSet.NONE);
                Seen ended = endedByRelay(way, clientEnds);
                try (Client direct = new Client(way, ended.port, way.endpoint, PORT)) {
                    direct.exchange();
                }
                assertThat(backend.connections()).isEqualTo(2);
            }
        }
    }

    /**
     * The mode has changed: a rule leads to the endpoint, and the client has the same port as the relay's earlier
     * connection.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionThroughTheNextModeIsAnswered(boolean clientEnds) throws Exception {
        for (Way way : Way.values()) {
            try (Backend backend = backend(way)) {
                Seen ended;
                try (UserspaceProxy before = new UserspaceProxy("node-a", config(), iptables)) {
                    before.sync(services(way), ChangeSet.NONE);
                    ended = endedByRelay(way, clientEnds);
                }
                String rule = "PREROUTING -d " + way.clusterIp + " -p tcp --dport 80 -j DNAT --to-destination "
                        + IpAddress.parse(way.endpoint).withPort(PORT);
                Iptables commands = iptables.get(way.isIpv6() ? 1 : 0);
                commands.restore("*nat\n-A " + rule + "\nCOMMIT\n");
                try (Client translated = new Client(way, ended.port, way.clusterIp, 80)) {
                    translated.exchange();
                    assertThat(translated.seen.address).isEqualTo(way.client);
                } finally {
                    commands.restore("*nat\n-D " + rule + "\nCOMMIT\n");
                }
                assertThat(backend.connections()).isEqualTo(2);
            }
        }
    }

    /** The process before has reset the client at its end. */
    @ParameterizedTest
    @EnumSource
    void whoWasResetAtTheEndMayComeAgainFromTheSamePort(Way way) throws Exception {
        try (Backend backend = backend(way)) {
            Client relayed;
            try (UserspaceProxy before = new UserspaceProxy("node-a", config(), iptables)) {
                before.sync(services(way), ChangeSet.NONE);
                relayed = new Client(way, 0, way.clusterIp, 80);
            }
            int port = relayed.socket.getLocalPort();
            Clients.assertReset(relayed.socket);
            proxy.sync(services(way), ChangeSet.NONE);
            try (Client again = new Client(way, port, way.clusterIp, 80)) {
                again.exchange();
            }
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    /**
     * A dial that timed out leaves its conntrack entry. The next client's dial takes the same port, and then another.
     */
    @ParameterizedTest
    @EnumSource(names = {"TO_ANOTHER_NODE", "TO_ANOTHER_NODE_IPV6"})
    void theNextClientIsSeenFromThePortOfADialThatTimedOut(Way way) throws Exception {
        String rule = (way.isIpv6() ? "ip6tables" : "iptables") + " -%s INPUT -p tcp --dport 8080 -j DROP";
        proxy.sync(services(way), ChangeSet.NONE);
        String before = node.localPorts("50000 50000");
        try (Backend backend = backend(way)) {
            node.outside(rule.formatted("A"));
            node.askFromPod(way.clusterIp, 80);
            assertThat(proxy.metrics().of(RelayCount.DIALS_TIMED_OUT)).isPositive();
            node.outside(rule.formatted("D"));
            node.localPorts("50000 50001");

            assertThat(node.askFromSecondPod(way.clusterIp, 80))
                    .startsWith(way.isIpv6() ? "fd00:10:244::6 " : "10.244.0.6 ");
            assertThat(backend.connections()).isPositive();
        } finally {
            node.localPorts(before);
        }
    }

    private Seen endedByRelay(Way way, boolean clientEnds) throws IOException {
        try (Client relayed = new Client(way, 0, way.clusterIp, 80)) {
            if (clientEnds) {
                relayed.socket.shutdownOutput();
            } else {
                relayed.socket.getOutputStream().write('.');
            }
            assertThat(relayed.answers.read()).as("end of stream").isEqualTo(-1);
            return relayed.seen;
        }
    }

    /** The address and port that an endpoint sees. */
    private record Seen(String address, int port) {}

    /** A connection from the pod, from this port or from any. */
    private final class Client implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader answers;
        private final Seen seen;

        Client(Way way, int from, String address, int port) throws IOException {
            socket = node.inside("pod", () -> {
                Socket bound = new Socket();
                bound.setReuseAddress(true);
                bound.bind(new InetSocketAddress(IpAddress.parse(way.client).toInetAddress(), from));
                return bound;
            });
            socket.setSoTimeout(LOST_MILLIS);
            socket.connect(new InetSocketAddress(IpAddress.parse(address).toInetAddress(), port), LOST_MILLIS);
            answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
            String[] line = answers.readLine().split(" ", -1);
            seen = new Seen(line[0], Integer.parseInt(line[1]));
        }

        void exchange() throws IOException {
            socket.getOutputStream().write('x');
            assertThat(answers.read()).isEqualTo('x');
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static RelayConfig config() {
        return RelayConfig.DEFAULTS.with(draft -> {
            draft.clusterCidrs = List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/48"));
            draft.keepsClientAddress = true;
            draft.drainTimeout = Duration.ZERO;
        });
    }

    /** It sends the source that it sees, and echoes its input until the stream ends or a point comes. */
    private Backend backend(Way way) throws IOException {
        return node.inside(
                way.namespace,
                () -> Backend.start(IpAddress.parse(way.endpoint).toInetAddress(), PORT, KeptPortsKernelTest::serve));
    }

    private static void serve(Socket socket) throws IOException {
        String line = IpAddress.of(socket.getInetAddress()) + " " + socket.getPort() + "\n";
        socket.getOutputStream().write(line.getBytes(US_ASCII));
        int next = socket.getInputStream().read();
        while (next >= 0 && next != '.') {
            socket.getOutputStream().write(next);
            next = socket.getInputStream().read();
        }
    }

    private static ServiceSnapshot services(Way way) {
        ServicePort port = new ServicePort(name("web"), ips(way.clusterIp), 80, 0, List.of(), List.of());
        return new ServiceSnapshots()
                .node(
                        "node-a",
                        List.of("10.244.0.0/24", "fd00:10:244::/64"),
                        KernelTestNode.ADDRESS,
                        KernelTestNode.ADDRESS6)
                .add(port, Endpoint.ready(IpAddress.parse(way.endpoint), PORT, "node-a"))
                .build();
    }
}
