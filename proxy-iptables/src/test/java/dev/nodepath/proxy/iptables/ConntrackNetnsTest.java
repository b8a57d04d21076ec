package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.sync.BypassCleaner;
import dev.nodepath.endpoints.sync.ConntrackCleaner;
import dev.nodepath.endpoints.sync.ConntrackCleanerListener;
import dev.nodepath.endpoints.sync.ManualScheduler;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.FlowFilter;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Route;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real packets through real rules: which flows move when the rules change, and which stay. */
@Tag("netns")
class ConntrackNetnsTest {
    private static final int ANSWER_WAIT_MS = 5000;
    private static final int FLOWS = 10_000;
    private static final int FIRST_PORT = 20_000;

    private final IptablesNamespace iptables = IptablesNamespace.create();
    private final NetworkNamespace namespace = iptables.opened();
    private final Conntrack conntrack = namespace.call(new KernelLinuxNet()::conntrack);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final IptablesProxy proxy;
    private final ConntrackCleaner cleaner;
    private final ManualScheduler looks = new ManualScheduler();
    private final BypassCleaner bypasses;

    ConntrackNetnsTest() throws IOException {
        namespace.setUp(1, true);
        for (String address :
                List.of("10.244.0.2/32", "10.244.0.3/32", "172.30.0.1/32", "fd00:244::2/128", "fd00:244::3/128")) {
            namespace.addAddress(1, Cidr.parse(address));
        }
        for (String services : List.of("10.96.0.0/16", "fd00:96::/112")) {
            namespace.addRoute(new Route(Cidr.parse(services), Optional.empty(), 1));
        }
        List<Iptables> commands = List.of(iptables.iptables(IpFamily.IPV4), iptables.iptables(IpFamily.IPV6));
        proxy = new IptablesProxy(IptablesConfig.DEFAULTS, commands, namespace, Optional.empty());
        cleaner = new ConntrackCleaner(
                conntrack,
                namespace,
                "",
                NodePortAddresses.ALL,
                List.of(IpFamily.values()),
                true,
                ConntrackCleanerListener.NONE,
                new ManualScheduler());
        bypasses = new BypassCleaner(
                conntrack, List.of(IpFamily.values()), proxy::fullSyncs, looks, new BypassCleaner.Listener() {});
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable socket : open) {
            socket.close();
        }
        conntrack.close();
        iptables.close();
    }

    private void sync(ServiceSnapshot snapshot) throws Exception {
        ChangeSet changed = ChangeSet.of(snapshot.services().keySet());
        proxy.sync(snapshot, changed);
        cleaner.ended(snapshot, changed, EnumSet.allOf(IpFamily.class));
        bypasses.ended(snapshot, changed, EnumSet.allOf(IpFamily.class));
        looks.advance(Duration.ZERO);
    }

    private static Snapshots dns(String... endpoints) {
        Snapshots dns = Snapshots.service("a/dns", Protocol.UDP, "10.96.0.10,fd00:96::10", 53)
                .nodePort(30053);
        for (String endpoint : endpoints) {
            dns = dns.endpoint(endpoint, "n1");
        }
        return dns;
    }

    /** Answers each datagram with its own name. */
    private void serve(String ip, int port) throws IOException {
        IpAddress address = IpAddress.parse(ip);
        DatagramChannel server = open(udp(address, port));
        Thread thread = new Thread(() -> answer(server, ip), "server-" + ip);
        thread.setDaemon(true);
        thread.start();
    }

    private static void answer(DatagramChannel server, String name) {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(64);
            while (true) {
                buffer.clear();
                java.net.SocketAddress from = server.receive(buffer);
                server.send(ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8)), from);
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private <T extends AutoCloseable> T open(T socket) {
        open.add(socket);
        return socket;
    }

    private DatagramChannel udp(IpAddress address, int port) throws IOException {
        return namespace.call(() -> DatagramChannel.open(
                        address.family() == IpFamily.IPV4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6)
                .bind(new InetSocketAddress(address.toInetAddress(), port)));
    }

    /** The answering endpoint; "nobody" if the kernel refuses, or if no answer comes. */
    private static String ask(DatagramChannel client, String ip, int port) throws IOException {
        InetSocketAddress to = new InetSocketAddress(IpAddress.parse(ip).toInetAddress(), port);
        byte[] answer = new byte[64];
        java.net.DatagramSocket socket = client.socket();
        socket.setSoTimeout(ANSWER_WAIT_MS);
        try {
            socket.send(new java.net.DatagramPacket(new byte[] {1}, 1, to));
            java.net.DatagramPacket received = new java.net.DatagramPacket(answer, answer.length);
            socket.receive(received);
            return new String(answer, 0, received.getLength(), StandardCharsets.UTF_8);
        } catch (SocketTimeoutException e) {
            return "nobody";
        }
    }

    private DatagramChannel client(String ip) throws IOException {
        return open(udp(IpAddress.parse(ip), 0));
    }

    @Test
    void aConnectionBegunBeforeItsServiceComesAboutAfterAll() throws Exception {
        // The kernel tracks where there are rules that ask for it.
        sync(dns("10.244.0.2:5353").build());
        ServerSocket server = open(namespace.call(() -> new ServerSocket(8080)));
        Socket client = open(namespace.call(() -> {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(IpAddress.parse("172.30.0.1").toInetAddress(), 0));
            return socket;
        }));
        IpAddress service = IpAddress.parse("10.96.0.10");
        FutureTask<Boolean> connected = new FutureTask<>(() -> {
            client.connect(new InetSocketAddress(service.toInetAddress(), 80), 60_000);
            return client.isConnected();
        });
        Thread connecting = new Thread(connected, "connecting");
        connecting.setDaemon(true);
        connecting.start();
        while (conntrack
                .find(
                        FlowFilter.of(IpFamily.IPV4, 6),
                        flow -> flow.original().destination().equals(service))
                .isEmpty()) {
            assertThat(connected.isDone()).isFalse();
        }

        sync(Snapshots.service("a/web", Protocol.TCP, "10.96.0.10", 80)
                .endpoint("10.244.0.2:8080", "n1")
                .build());

        assertThat(connected.get(5, TimeUnit.MINUTES)).isTrue();
        server.accept().close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.96.0.10:53", "172.30.0.1:30053"})
    void aFlowMovesToTheLivingEndpointWithItsNextPacket(String to) throws Exception {
        String ip = to.substring(0, to.indexOf(':'));
        int port = Integer.parseInt(to.substring(to.indexOf(':') + 1));
        serve("10.244.0.2", 5353);
        serve("10.244.0.3", 5353);
        sync(dns("10.244.0.2:5353").build());
        DatagramChannel moving = client("172.30.0.1");
        DatagramChannel straight = client("172.30.0.1");
        assertThat(ask(moving, ip, port)).isEqualTo("10.244.0.2");
        assertThat(ask(straight, "10.244.0.2", 5353)).isEqualTo("10.244.0.2");

        proxy.sync(
                dns("10.244.0.3:5353").build(),
                ChangeSet.of(dns().build().services().keySet()));
        assertThat(ask(moving, ip, port)).as("rules alone move nothing").isEqualTo("10.244.0.2");
        long untouched =
                conntrack.find(FlowFilter.of(IpFamily.IPV4, 17), flow -> !flow.isDestinationTranslated()).stream()
                        .filter(flow -> flow.original().destination().equals(IpAddress.parse("10.244.0.2")))
                        .count();
        sync(dns("10.244.0.3:5353").build());
        assertThat(ask(moving, ip, port)).isEqualTo("10.244.0.3");
        assertThat(conntrack.find(FlowFilter.of(IpFamily.IPV4, 17), flow -> !flow.isDestinationTranslated()).stream()
                        .filter(flow -> flow.original().destination().equals(IpAddress.parse("10.244.0.2"))))
                .as("the flow straight to the pod")
                .hasSize((int) untouched)
                .isNotEmpty();
    }

    @Test
    void aFlowToALivingEndpointStaysWhereItIs() throws Exception {
        serve("10.244.0.2", 5353);
        serve("10.244.0.3", 5353);
        sync(dns("10.244.0.2:5353").build());
        List<DatagramChannel> clients = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            DatagramChannel client = client("172.30.0.1");
            assertThat(ask(client, "10.96.0.10", 53)).isEqualTo("10.244.0.2");
            clients.add(client);
        }
        sync(dns("10.244.0.2:5353", "10.244.0.3:5353").build());
        for (DatagramChannel client : clients) {
            assertThat(ask(client, "10.96.0.10", 53)).isEqualTo("10.244.0.2");
        }
    }

    @Test
    void aFlowOfIpv6Moves() throws Exception {
        serve("fd00:244::2", 5353);
        serve("fd00:244::3", 5353);
        sync(dns("[fd00:244::2]:5353").build());
        DatagramChannel client = client("fd00:244::2");
        assertThat(ask(client, "fd00:96::10", 53)).isEqualTo("fd00:244::2");
        sync(dns("[fd00:244::3]:5353").build());
        assertThat(ask(client, "fd00:96::10", 53)).isEqualTo("fd00:244::3");
    }

    @ParameterizedTest
    @CsvSource({"10.96.0.10, 53", "172.30.0.1, 30053"})
    void aFlowThatBypassedTheServiceFindsItsEndpoint(String ip, int port) throws Exception {
        serve("10.244.0.2", 5353);
        sync(Snapshots.service("a/other", Protocol.UDP, "10.96.0.11", 53)
                .endpoint("10.244.0.2:5353", "n1")
                .build());
        DatagramChannel client = client("172.30.0.1");
        assertThat(ask(client, ip, port)).isEqualTo("nobody");
        assertThat(conntrack.find(
                        FlowFilter.of(IpFamily.IPV4, 17),
                        flow -> flow.original().destinationPort() == port))
                .hasSize(1);
        sync(dns("10.244.0.2:5353").build());
        assertThat(ask(client, ip, port)).isEqualTo("10.244.0.2");
    }

    /** Upstream's test of a node port whose target port changes. */
    @Test
    void aFlowToANodePortFollowsItsTargetPort() throws Exception {
        serve("10.244.0.2", 5353);
        sync(Snapshots.service("a/other", Protocol.UDP, "10.96.0.11", 53).build());
        DatagramChannel client = client("172.30.0.1");
        assertThat(ask(client, "172.30.0.1", 30053)).isEqualTo("nobody");
        sync(dns("10.244.0.2:5353").build());
        assertThat(ask(client, "172.30.0.1", 30053)).isEqualTo("10.244.0.2");
        sync(dns("10.244.0.2:5454").build());
        assertThat(ask(client, "172.30.0.1", 30053)).as("nobody is there yet").isEqualTo("nobody");
        serve("10.244.0.2", 5454);
        assertThat(ask(client, "172.30.0.1", 30053)).isEqualTo("10.244.0.2");
    }

    /** Upstream's test of a node port whose pod is replaced by another. */
    @Test
    void aFlowToANodePortGoesOnWhenItsPodIsReplaced() throws Exception {
        serve("10.244.0.2", 5353);
        serve("10.244.0.3", 5353);
        sync(dns().build());
        DatagramChannel client = client("172.30.0.1");
        assertThat(ask(client, "172.30.0.1", 30053)).isEqualTo("nobody");
        sync(dns("10.244.0.2:5353").build());
        assertThat(ask(client, "172.30.0.1", 30053)).isEqualTo("10.244.0.2");
        sync(dns("10.244.0.2:5353", "10.244.0.3:5353").build());
        assertThat(ask(client, "172.30.0.1", 30053)).isEqualTo("10.244.0.2");
        sync(dns("10.244.0.3:5353").build());
        assertThat(ask(client, "172.30.0.1", 30053)).isEqualTo("10.244.0.3");
    }

    @Test
    void flowsEndWithTheLastEndpointAndWithTheService() throws Exception {
        serve("10.244.0.2", 5353);
        sync(dns("10.244.0.2:5353").build());
        DatagramChannel client = client("172.30.0.1");
        assertThat(ask(client, "10.96.0.10", 53)).isEqualTo("10.244.0.2");
        sync(dns().build());
        assertThat(conntrack.find(FlowFilter.of(IpFamily.IPV4, 17), flow -> flow.isDestinationTranslated()))
                .isEmpty();

        sync(dns("10.244.0.2:5353").build());
        assertThat(ask(client, "10.96.0.10", 53)).isEqualTo("10.244.0.2");
        ChangeSet all = ChangeSet.of(dns().build().services().keySet());
        proxy.sync(ServiceSnapshot.EMPTY, all);
        cleaner.ended(ServiceSnapshot.EMPTY, all, EnumSet.allOf(IpFamily.class));
        assertThat(conntrack.find(FlowFilter.of(IpFamily.IPV4, 17), flow -> flow.isDestinationTranslated()))
                .isEmpty();
    }

    @Test
    void aConnectionToAnEndpointThatIsGoneIsReset() throws Exception {
        ServerSocketChannel gone = listen("10.244.0.2");
        ServerSocketChannel living = listen("10.244.0.3");
        sync(Snapshots.service("a/web", "10.96.0.20", 80)
                .endpoint("10.244.0.2:8080", "n1")
                .build());
        SocketChannel client = open(namespace.call(() -> SocketChannel.open(StandardProtocolFamily.INET)));
        client.connect(new InetSocketAddress(IpAddress.parse("10.96.0.20").toInetAddress(), 80));
        SocketChannel accepted = open(gone.accept());
        assertThat(living.isOpen()).isTrue();

        sync(Snapshots.service("a/web", "10.96.0.20", 80)
                .endpoint("10.244.0.3:8080", "n1")
                .build());
        assertThat(accepted.isConnected()).isTrue();
        client.write(ByteBuffer.wrap(new byte[] {1}));
        client.socket().setSoTimeout(ANSWER_WAIT_MS);
        assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> client.socket().getInputStream().read()))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("reset");
    }

    private ServerSocketChannel listen(String ip) throws IOException {
        return open(namespace.call(() -> ServerSocketChannel.open(StandardProtocolFamily.INET)
                .bind(new InetSocketAddress(IpAddress.parse(ip).toInetAddress(), 8080))));
    }

    /** More than fit into one message to the kernel, and than it lists in one. */
    @Test
    void tenThousandFlowsGoAndTheOthersStay() throws Exception {
        serve("10.244.0.3", 5353);
        sync(dns("10.244.0.2:5353").build());
        InetSocketAddress to =
                new InetSocketAddress(IpAddress.parse("10.96.0.10").toInetAddress(), 53);
        // The first must still be there when the last has been made.
        namespace.setSysctl("net/netfilter/nf_conntrack_udp_timeout", "600");
        for (int i = 0; i < FLOWS; i++) {
            try (DatagramChannel client = udp(IpAddress.parse("172.30.0.1"), FIRST_PORT + i)) {
                client.send(ByteBuffer.wrap(new byte[] {1}), to);
            }
        }
        DatagramChannel bystander = client("172.30.0.1");
        assertThat(ask(bystander, "10.244.0.3", 5353)).isEqualTo("10.244.0.3");
        int before = flows();
        sync(dns("10.244.0.3:5353").build());
        assertThat(before - flows()).isEqualTo(FLOWS);
        assertThat(ask(bystander, "10.244.0.3", 5353)).isEqualTo("10.244.0.3");
    }

    private int flows() throws IOException {
        return conntrack.find(FlowFilter.of(IpFamily.IPV4, 17), flow -> true).size();
    }
}
