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
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code --keep-client-address} between two pods of one node; the bridge would pass their frames around the relay.
 */
@Tag("netns")
@ExtendWith(NoLeaks.class)
@Timeout(900)
class KeptPodsKernelTest {
    private static final int PORT = 8080;
    private static final String CLIENT = "10.244.0.5";
    private static final String ENDPOINT = "10.244.0.6";
    private static final String CLUSTER_IP = "10.96.0.10";

    /** More than socket buffers hold, so that data and acknowledgements go both ways for a while. */
    private static final int BULK = 16 << 20;

    private final List<Iptables> iptables =
            List.of(new IptablesCommand(IpFamily.IPV4), new IptablesCommand(IpFamily.IPV6));
    private final KernelTestNode node = new KernelTestNode();

    KeptPodsKernelTest() throws Exception {
        node.addSecondPod();
    }

    @AfterEach
    void tearDown() throws Exception {
        String left = KernelTestNode.tables();
        node.filterBridges(true);
        node.removeSecondPod();
        node.remove();
        assertThat(left).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "10.96.0.10, 10.244.0.6, 10.244.0.5, 10.244.0.1",
        "fd00:10:96::10, fd00:10:244::6, fd00:10:244::5, fd00:10:244::1"
    })
    void aPodIsSeenByAPodBesideIt(String clusterIp, String endpoint, String pod, String bridge) throws Exception {
        try (Backend backend = backend(endpoint);
                UserspaceProxy proxy = proxy()) {
            proxy.sync(services(clusterIp, endpoint), ChangeSet.NONE);

            assertThat(node.askFromPod(clusterIp, 80)).isEqualTo(pod);
            assertThat(node.askFromPod(endpoint, PORT)).as("past the relay").isEqualTo(pod);
            assertThat(UserspaceProxyKernelTest.askFromHost(clusterIp, 80)).isEqualTo(bridge);
            assertThat(backend.connections()).isEqualTo(3);
        }
    }

    /** A pod drops packets with its own address as their source. */
    @Test
    void aPodReachesItselfAsBefore() throws Exception {
        try (Backend backend = node.inside("pod", () -> tellingSource(CLIENT));
                UserspaceProxy proxy = proxy()) {
            proxy.sync(services(CLUSTER_IP, CLIENT), ChangeSet.NONE);

            assertThat(node.askFromPod(CLUSTER_IP, 80)).isEqualTo(KernelTestNode.BRIDGE_ADDRESS);
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    @Test
    void bulkComesWholeBothWaysAndDirectConnectionsGoOnBesideIt() throws Exception {
        try (Backend backend = echo();
                UserspaceProxy proxy = proxy()) {
            proxy.sync(services(CLUSTER_IP, ENDPOINT), ChangeSet.NONE);
            try (Socket direct = node.inside("pod", () -> new Socket(ENDPOINT, PORT));
                    Socket relayed = node.inside("pod", () -> new Socket(CLUSTER_IP, 80))) {
                exchange(direct, BULK);
                exchange(relayed, BULK);
                exchange(direct, 1);
            }
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    @Test
    void withoutBridgeNetfilterTheNodeIsSeen() throws Exception {
        node.filterBridges(false);
        try (Backend backend = backend(ENDPOINT);
                UserspaceProxy proxy = proxy()) {
            proxy.sync(services(CLUSTER_IP, ENDPOINT), ChangeSet.NONE);
            assertThat(node.askFromPod(CLUSTER_IP, 80)).isEqualTo(KernelTestNode.BRIDGE_ADDRESS);

            node.filterBridges(true);
            proxy.sync(services(CLUSTER_IP, ENDPOINT), ChangeSet.NONE);
            assertThat(node.askFromPod(CLUSTER_IP, 80)).isEqualTo(CLIENT);
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    /** They do not find each other, so an answer to the client's address would not even leave. */
    @Test
    void betweenIsolatedPortsTheNodeIsSeen() throws Exception {
        node.ip("link set veth-pod type bridge_slave isolated on");
        node.ip("link set veth-second type bridge_slave isolated on");
        try (Backend backend = backend(ENDPOINT);
                UserspaceProxy proxy = proxy()) {
            proxy.sync(services(CLUSTER_IP, ENDPOINT), ChangeSet.NONE);

            assertThat(node.askFromPod(CLUSTER_IP, 80)).isEqualTo(KernelTestNode.BRIDGE_ADDRESS);
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    /** Such a bridge takes another address with each pod that comes or goes. */
    @Test
    void onABridgeWithTheHardwareAddressOfAPortAPodIsSeenAsWell() throws Exception {
        node.ip("link set veth-pod address 02:00:0a:f4:00:01");
        try (Backend backend = backend(ENDPOINT);
                UserspaceProxy proxy = proxy()) {
            proxy.sync(services(CLUSTER_IP, ENDPOINT), ChangeSet.NONE);

            assertThat(node.askFromPod(CLUSTER_IP, 80)).isEqualTo(CLIENT);
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    @Test
    void followsTheBridgeWithTheNextChange() throws Exception {
        node.filterBridges(false);
        try (Backend backend = backend(ENDPOINT);
                UserspaceProxy proxy = proxy()) {
            ServiceSnapshot services = services(CLUSTER_IP, ENDPOINT);
            proxy.sync(services, ChangeSet.NONE);
            assertThat(node.askFromPod(CLUSTER_IP, 80)).isEqualTo(KernelTestNode.BRIDGE_ADDRESS);
            node.filterBridges(true);
            proxy.sync(services, ChangeSet.of(List.of(name("web"))));

            assertThat(node.askFromPod(CLUSTER_IP, 80)).isEqualTo(CLIENT);
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    private UserspaceProxy proxy() {
        RelayConfig config = RelayConfig.DEFAULTS.with(draft -> {
            draft.clusterCidrs = List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/48"));
            draft.keepsClientAddress = true;
            draft.drainTimeout = Duration.ZERO;
        });
        return new UserspaceProxy("node-a", config, iptables);
    }

    private static void exchange(Socket client, int length) throws IOException, InterruptedException {
        client.setSoTimeout(10_000);
        Thread sender = new Thread(() -> {
            try {
                client.getOutputStream().write(new byte[length]);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        sender.start();
        InputStream answers = client.getInputStream();
        assertThat(answers.readNBytes(length)).hasSize(length);
        sender.join();
    }

    private Backend echo() throws IOException {
        return node.inside(
                "second",
                () -> Backend.start(
                        IpAddress.parse(ENDPOINT).toInetAddress(),
                        PORT,
                        socket -> socket.getInputStream().transferTo(socket.getOutputStream())));
    }

    private Backend backend(String address) throws IOException {
        return node.inside("second", () -> tellingSource(address));
    }

    private static Backend tellingSource(String address) throws IOException {
        return Backend.start(IpAddress.parse(address).toInetAddress(), PORT, socket -> {
            String source = IpAddress.of(socket.getInetAddress()).toString();
            socket.getOutputStream().write((source + "\n").getBytes(US_ASCII));
        });
    }

    private static ServiceSnapshot services(String clusterIp, String endpoint) {
        ServicePort port = new ServicePort(name("web"), ips(clusterIp), 80, 0, List.of(), List.of());
        return new ServiceSnapshots()
                .node(
                        "node-a",
                        List.of("10.244.0.0/24", "fd00:10:244::/64"),
                        KernelTestNode.ADDRESS,
                        KernelTestNode.ADDRESS6)
                .add(port, Endpoint.ready(IpAddress.parse(endpoint), PORT, "node-a"))
                .build();
    }
}
