package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import io.netty.channel.epoll.LinuxSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --keep-client-address}: the source addresses that endpoints see. */
@Tag("netns")
@ExtendWith(NoLeaks.class)
@Timeout(900)
class KeptAddressKernelTest {
    private static final int PORT = 8080;
    private static final int NODE_PORT = 30080;
    private static final String POD = "10.244.0.5";
    private static final String REMOTE_POD = "10.244.9.9";

    private final List<Iptables> iptables =
            List.of(new IptablesCommand(IpFamily.IPV4), new IptablesCommand(IpFamily.IPV6));
    private final KernelTestNode node = new KernelTestNode();
    private final UserspaceProxy proxy = proxy();

    KeptAddressKernelTest() throws Exception {
        node.addRemotePod(REMOTE_POD, "fd00:10:244:9::9");
    }

    private UserspaceProxy proxy() {
        RelayConfig config = RelayConfig.DEFAULTS.with(draft -> {
            draft.clusterCidrs = List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/48"));
            draft.keepsClientAddress = true;
            draft.drainTimeout = Duration.ofSeconds(30);
        });
        return new UserspaceProxy("node-a", config, iptables);
    }

    @AfterEach
    void tearDown() throws Exception {
        proxy.close();
        String left = KernelTestNode.tables();
        node.remove();
        assertThat(left).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "10.96.0.10, 10.244.9.9, 10.244.0.5, 172.18.0.2",
        "fd00:10:96::10, fd00:10:244:9::9, fd00:10:244::5, fd00:172:18::2"
    })
    void aPodIsSeenByAPodOfAnotherNode(String clusterIp, String endpoint, String pod, String host) throws Exception {
        try (Backend backend = backend("outside", endpoint);
                UserspaceProxy one = proxy()) {
            one.sync(services(clusterIp, TrafficPolicy.CLUSTER, endpoint), ChangeSet.NONE);

            assertThat(node.askFromPod(clusterIp, 80)).isEqualTo(pod);
            assertThat(UserspaceProxyKernelTest.askFromHost(clusterIp, 80)).isEqualTo(host);
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    /** The answer would leave the cluster from the other node. */
    @Test
    void aClientOutsideIsNotSeenByAPodOfAnotherNode() throws Exception {
        try (Backend backend = backend("outside", REMOTE_POD)) {
            proxy.sync(services("10.96.0.10", TrafficPolicy.CLUSTER, REMOTE_POD), ChangeSet.NONE);

            assertThat(node.askFromOutside(KernelTestNode.ADDRESS, NODE_PORT)).isEqualTo(KernelTestNode.ADDRESS);
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    @Test
    void aClientOutsideIsSeenUnderPolicyLocal() throws Exception {
        try (Backend backend = backend("pod", POD)) {
            proxy.sync(services("10.96.0.10", TrafficPolicy.LOCAL, POD), ChangeSet.NONE);

            assertThat(node.askFromOutside(KernelTestNode.ADDRESS, NODE_PORT)).isEqualTo("172.18.0.1");
            assertThat(UserspaceProxyKernelTest.askFromHost("10.96.0.10", 80)).isEqualTo(KernelTestNode.BRIDGE_ADDRESS);
            // It is the same pod.
            assertThat(node.askFromPod("10.96.0.10", 80)).isEqualTo(KernelTestNode.BRIDGE_ADDRESS);
            assertThat(backend.connections()).isEqualTo(3);
        }
    }

    /** A kill leaves a table; the next process takes it over, and cleaning up removes it. */
    @Test
    void whatAKilledProcessHasLeftIsRemoved() throws Exception {
        try (Backend backend = backend("outside", REMOTE_POD);
                UserspaceProxy next = proxy()) {
            ServiceSnapshot services = services("10.96.0.10", TrafficPolicy.CLUSTER, REMOTE_POD);
            proxy.sync(services, ChangeSet.NONE);
            next.sync(services, ChangeSet.NONE);
            assertThat(node.askFromPod("10.96.0.10", 80)).isEqualTo(POD);
            assertThat(backend.connections()).isEqualTo(1);

            for (Iptables commands : iptables) {
                UserspaceProxy.removeRules(commands);
            }
            assertThat(KernelTestNode.tables()).isEmpty();
        }
    }

    /** The portals go first; answers must still come to the relay, without any other rule that translates. */
    @Test
    void connectionsGoOnWhileTheProcessDrains() throws Exception {
        try (Backend backend = node.inside(
                "outside",
                () -> Backend.start(
                        IpAddress.parse(REMOTE_POD).toInetAddress(),
                        PORT,
                        socket -> socket.getInputStream().transferTo(socket.getOutputStream())))) {
            proxy.sync(services("10.96.0.10", TrafficPolicy.CLUSTER, REMOTE_POD), ChangeSet.NONE);
            CompletableFuture<Void> closing;
            try (Socket client = node.inside("pod", () -> new Socket("10.96.0.10", 80))) {
                client.setSoTimeout(10_000);
                exchange(client);
                closing = CompletableFuture.runAsync(proxy::close);
                Eventually.isTrue("portals are gone", () -> !tables().contains("nodepath-portals"));
                node.changeRoutes();
                exchange(client);
            }
            closing.get(5, TimeUnit.MINUTES);
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    /** It names the client's address. If it went to the client, each dial would wait for its time limit. */
    @ParameterizedTest
    @CsvSource({
        "10.96.0.10, 10.244.9.9, iptables, icmp-port-unreachable",
        "fd00:10:96::10, fd00:10:244:9::9, ip6tables, icmp6-port-unreachable"
    })
    void anErrorAboutAHandshakeReachesTheRelay(String clusterIp, String endpoint, String program, String error)
            throws Exception {
        node.outside(program + " -A INPUT -p tcp --dport 8080 -j REJECT --reject-with " + error);
        proxy.sync(services(clusterIp, TrafficPolicy.CLUSTER, endpoint), ChangeSet.NONE);

        node.askFromPod(clusterIp, 80);
        assertThat(proxy.metrics().of(RelayCount.DIALS_REFUSED)).isPositive();
    }

    /** The path's MTU is below that of both ends, so the relay learns it only from "fragmentation needed". */
    @ParameterizedTest
    @CsvSource({"10.96.0.10, 10.244.9.8", "fd00:10:96::10, fd00:10:244:9::8"})
    void theRelayLearnsThePathsMtu(String clusterIp, String endpoint) throws Exception {
        node.addPodBehindSmallLink("10.244.9.8", "fd00:10:244:9::8");
        try (Backend backend = node.inside(
                "far",
                () -> Backend.start(
                        IpAddress.parse(endpoint).toInetAddress(),
                        PORT,
                        socket -> socket.getInputStream().transferTo(socket.getOutputStream())))) {
            proxy.sync(services(clusterIp, TrafficPolicy.CLUSTER, endpoint), ChangeSet.NONE);
            try (Socket client = node.inside("pod", () -> new Socket(clusterIp, 80))) {
                client.setSoTimeout(10_000);
                client.getOutputStream().write(new byte[50_000]);
                assertThat(client.getInputStream().readNBytes(50_000)).hasSize(50_000);
            }
            assertThat(backend.connections()).isEqualTo(1);
        } finally {
            node.removePodBehindSmallLink();
        }
    }

    /** The tunnel's outer packet has the priority of the inner one. The other node accepts it only from this node. */
    @Test
    void aTunnelToAnotherNodeKeepsTheNodesAddress() throws Exception {
        node.addTunnelTo(REMOTE_POD);
        try (Backend backend = backend("outside", REMOTE_POD)) {
            proxy.sync(services("10.96.0.10", TrafficPolicy.CLUSTER, REMOTE_POD), ChangeSet.NONE);

            assertThat(node.askFromPod("10.96.0.10", 80)).isEqualTo(POD);
            assertThat(backend.connections()).isEqualTo(1);
        } finally {
            node.ip("link del tunnel");
        }
    }

    /** A packet that leaves a pod by its link loses its priority. */
    @Test
    void aPodThatGuessesTheNumberOfAnotherIsSeenItself() throws Exception {
        node.addSecondPod();
        try (Backend backend = backend("outside", REMOTE_POD)) {
            proxy.sync(services("10.96.0.10", TrafficPolicy.CLUSTER, REMOTE_POD), ChangeSet.NONE);
            assertThat(node.askFromPod("10.96.0.10", 80)).isEqualTo(POD);

            assertThat(askWithPriority("second", onlyNumber())).isEqualTo("10.244.0.6");
            assertThat(backend.connections()).isEqualTo(2);
        } finally {
            node.removeSecondPod();
        }
    }

    /** The number of the only client. */
    private static int onlyNumber() throws IOException {
        try (NftTables nft = new KernelLinuxNet().nftTables()) {
            NftTableState clients =
                    nft.read(new NftTable(NftFamily.IPV4, "nodepath-clients")).orElseThrow();
            NftValue number = clients.sets()
                    .values()
                    .iterator()
                    .next()
                    .elements()
                    .keySet()
                    .iterator()
                    .next();
            return ByteBuffer.wrap(number.bytes())
                    .order(ByteOrder.nativeOrder())
                    .getInt();
        }
    }

    /** The source that the remote pod sees. */
    private String askWithPriority(String where, int priority) throws IOException {
        LinuxSocket socket = node.inside(where, () -> LinuxSocket.newSocketStream(false));
        try {
            socket.setIntOpt(1, 12, priority); // SOL_SOCKET, SO_PRIORITY
            boolean connected = socket.connect(
                    new InetSocketAddress(IpAddress.parse(REMOTE_POD).toInetAddress(), PORT));
            Eventually.isTrue("connected", () -> connected || socket.finishConnect());
            ByteBuffer answer = ByteBuffer.allocateDirect(100);
            Eventually.isTrue("an answer", () -> {
                answer.position(Math.max(0, socket.recv(answer, 0, answer.capacity())));
                return answer.position() > 0;
            });
            return US_ASCII.decode(answer.flip()).toString().strip();
        } finally {
            socket.close();
        }
    }

    private static String tables() {
        try {
            return KernelTestNode.tables();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void exchange(Socket client) throws IOException {
        client.getOutputStream().write(7);
        assertThat(client.getInputStream().read()).isEqualTo(7);
    }

    /** It tells a client the source address that it sees. */
    private Backend backend(String where, String address) throws IOException {
        return node.inside(
                where,
                () -> Backend.start(IpAddress.parse(address).toInetAddress(), PORT, KeptAddressKernelTest::tellSource));
    }

    private static void tellSource(Socket socket) throws IOException {
        String source = IpAddress.of(socket.getInetAddress()).toString();
        socket.getOutputStream().write((source + "\n").getBytes(US_ASCII));
    }

    private static ServiceSnapshot services(String clusterIp, TrafficPolicy external, String endpoint) {
        ServicePolicy policy =
                new ServicePolicy(ServiceType.NODE_PORT, TrafficPolicy.CLUSTER, external, 0, List.of(), 0);
        ServicePort port = new ServicePort(name("web"), ips(clusterIp), 80, NODE_PORT, List.of(), List.of(), policy);
        String on = endpoint.equals(POD) ? "node-a" : "node-b";
        return new ServiceSnapshots()
                .node(
                        "node-a",
                        List.of("10.244.0.0/24", "fd00:10:244::/64"),
                        KernelTestNode.ADDRESS,
                        KernelTestNode.ADDRESS6)
                .add(port, Endpoint.ready(IpAddress.parse(endpoint), PORT, on))
                .build();
    }
}
