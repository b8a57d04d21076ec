package dev.nodepath.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.source.kubernetes.FakeApiServer;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.command.IptablesNamespace;
import dev.nodepath.linux.iptables.command.IptablesVariant;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An agent is killed, restarted, or started in another mode, while clients come and go. */
@Tag("netns")
@Tag("faults")
@Timeout(240)
class AgentRestartNetnsTest {
    private static final int LIMIT_MILLIS = (int) TimeUnit.SECONDS.toMillis(NodepathProcess.LIMIT_SECONDS);

    /** A connection that nobody answers, as to a port without listener and rule, is tried again after this. */
    private static final int CONNECT_MILLIS = 500;

    /** A client of UDP gives up on an answer after this. */
    private static final int ANSWER_MILLIS = 200;

    private static final String DNS = """
            {"metadata":{"namespace":"default","name":"dns"},"spec":{"clusterIP":"10.96.0.53",\
            "type":"NodePort","ports":[{"name":"udp","port":53,"nodePort":30053,"protocol":"UDP"}]}}""";

    private static final String DNS_SLICE = """
            {"metadata":{"namespace":"default","name":"dns-1","labels":{"kubernetes.io/service-name":"dns"}},\
            "addressType":"IPv4","endpoints":[{"addresses":["172.18.0.2"],"conditions":{"ready":true},"nodeName":"n1"}],\
            "ports":[{"name":"udp","port":8053,"protocol":"UDP"}]}""";

    private static final InetSocketAddress CLUSTER_IP = new InetSocketAddress("10.96.0.10", 80);

    private final BackgroundTraffic traffic = new BackgroundTraffic();
    private final AtomicInteger served = new AtomicInteger();
    private final List<AutoCloseable> sockets = new ArrayList<>();

    @TempDir
    private Path folder;

    private AgentNode node = uninitialized();

    @SuppressWarnings("NullAway") // set before each test
    private static AgentNode uninitialized() {
        return null;
    }

    @BeforeEach
    void create() throws Exception {
        node = new AgentNode(folder);
        ServerSocket server = node.inside().call(() -> new ServerSocket(8080));
        sockets.add(server);
        traffic.start(() -> {
            while (true) {
                Socket client = server.accept();
                traffic.start(() -> {
                    try (client) {
                        client.getInputStream().transferTo(client.getOutputStream());
                    }
                });
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        traffic.close();
        for (AutoCloseable socket : sockets) {
            socket.close();
        }
        node.close();
    }

    private static Socket connect(InetSocketAddress to, int limitMillis) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setSoTimeout(LIMIT_MILLIS);
            socket.connect(to, limitMillis);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static void exchange(Socket socket) throws IOException {
        socket.getOutputStream().write('x');
        int answer = socket.getInputStream().read();
        if (answer != 'x') {
            throw new IOException("answer: " + answer + " (expected: x)");
        }
    }

    /** An open connection. */
    private Socket connection() throws LinuxNetException {
        Socket socket = node.inside().call(() -> connect(CLUSTER_IP, LIMIT_MILLIS));
        sockets.add(socket);
        return socket;
    }

    /** A client with a new connection for each request. */
    private void visitor() {
        visitor(node.inside(), CLUSTER_IP);
    }

    /** The same from outside, at a node port. */
    private void visitorOutside() throws IOException {
        IptablesNamespace outside = IptablesNamespace.create();
        sockets.add(outside);
        node.namespace()
                .run("ip", "link", "add", "outside", "type", "veth", "peer", "name", "eth0", "netns", outside.name());
        node.namespace().run("ip", "addr", "add", "192.0.2.1/24", "dev", "outside");
        node.namespace().run("ip", "link", "set", "outside", "up");
        outside.run("ip", "addr", "add", "192.0.2.2/24", "dev", "eth0");
        outside.run("ip", "link", "set", "eth0", "up");
        NetworkNamespace inside = new KernelLinuxNet().openNamed(outside.name());
        sockets.add(inside);
        visitor(inside, new InetSocketAddress("192.0.2.1", AgentNode.NODE_PORT));
    }

    private void visitor(NetworkNamespace from, InetSocketAddress to) {
        traffic.start(() -> from.call(() -> {
            while (!traffic.isOver()) {
                long lost = DroppedPackets.ofTheMachine();
                try (Socket client = connect(to, CONNECT_MILLIS)) {
                    exchange(client);
                    served.incrementAndGet();
                } catch (SocketTimeoutException e) {
                    if (DroppedPackets.ofTheMachine() == lost) {
                        traffic.failed(e);
                    }
                } catch (IOException e) {
                    traffic.failed(e);
                }
            }
            return true;
        }));
    }

    /** A client of UDP that sends all its datagrams from one port; how many were answered. */
    private AtomicInteger talker(String address, int port) throws IOException {
        AtomicInteger answers = new AtomicInteger();
        DatagramSocket client = node.inside().call(() -> new DatagramSocket());
        sockets.add(client);
        client.setSoTimeout(ANSWER_MILLIS);
        client.connect(new InetSocketAddress(address, port));
        traffic.start(() -> {
            while (!traffic.isOver()) {
                try {
                    client.send(new DatagramPacket(new byte[] {1}, 1));
                    client.receive(new DatagramPacket(new byte[1], 1));
                    answers.incrementAndGet();
                } catch (SocketTimeoutException | PortUnreachableException e) {
                    // It goes on sending: what counts is that answers come again.
                }
            }
        });
        return answers;
    }

    private void startUdp() throws IOException {
        node.api().put(FakeApiServer.SERVICES, DNS);
        node.api().put(FakeApiServer.SLICES, DNS_SLICE);
        DatagramSocket server = node.inside().call(() -> new DatagramSocket(8053));
        sockets.add(server);
        traffic.start(() -> {
            DatagramPacket packet = new DatagramPacket(new byte[100], 100);
            while (!traffic.isOver()) {
                server.receive(packet);
                server.send(packet);
            }
        });
    }

    private void awaitServed(NodepathProcess agent, int more) throws Exception {
        int before = served.get();
        agent.await(() -> served.get() >= before + more);
    }

    private String nat() throws IOException {
        return node.namespace().iptables(IpFamily.IPV4, IptablesVariant.NFT).save(Table.NAT);
    }

    @Test
    void inIptablesModeNobodyNoticesThatTheAgentIsKilled() throws Exception {
        NodepathProcess first = node.agent("first");
        first.awaitLog("proxy.synced");
        Socket open = connection();
        visitor();
        awaitServed(first, 50);

        first.kill();
        exchange(open);
        NodepathProcess second = node.agent("second");
        second.awaitLog("proxy.synced");
        awaitServed(second, 50);
        assertThat(second.terminate()).isEqualTo(143);
        exchange(open);
        NodepathProcess third = node.agent("third");
        third.awaitLog("proxy.synced");
        awaitServed(third, 50);
        exchange(open);
        assertThat(traffic.failures()).isEmpty();
    }

    @Test
    void inUserspaceModeNewConnectionsWorkAgainWhenTheAgentIs() throws Exception {
        NodepathProcess first = node.agent("first", "--proxy-mode=userspace");
        first.awaitLog("proxy.synced");
        visitor();
        awaitServed(first, 50);

        first.kill();
        NodepathProcess second = node.agent("second", "--proxy-mode=userspace");
        second.awaitLog("proxy.synced");
        awaitServed(second, 50);
        traffic.failures().clear();
        awaitServed(second, 200);
        assertThat(traffic.failures()).isEmpty();
    }

    /** The one that ends leaves rules of iptables mode behind, which the next one removes. */
    @Test
    void inUserspaceModeNobodyNoticesThatTheAgentIsReplaced() throws Exception {
        NodepathProcess first = node.agent("first", "--proxy-mode=userspace");
        first.awaitLog("proxy.synced");
        visitor();
        visitorOutside();
        awaitServed(first, 50);

        assertThat(first.terminate()).isEqualTo(143);
        assertThat(first.log()).contains("proxy.handed_over services=1");
        assertThat(nat()).contains("KUBE-SVC-").doesNotContain("KUBE-PORTALS-CONTAINER");
        int before = served.get();
        NodepathProcess second = node.agent("second", "--proxy-mode=userspace");
        second.awaitLog("proxy.synced");
        assertThat(served.get()).isGreaterThan(before);
        second.await(() -> !nat().contains("KUBE-SVC-"));
        assertThat(nat()).contains("KUBE-PORTALS-CONTAINER");
        awaitServed(second, 50);
        assertThat(traffic.failures()).isEmpty();
    }

    @Test
    void theModeChangesFromUserspaceToIptablesUnderTraffic() throws Exception {
        NodepathProcess first = node.agent("first", "--proxy-mode=userspace");
        first.awaitLog("proxy.synced");
        visitor();
        visitorOutside();
        awaitServed(first, 50);

        assertThat(first.terminate()).isEqualTo(143);
        NodepathProcess second = node.agent("second");
        second.awaitLog("proxy.synced");
        awaitServed(second, 50);
        assertThat(nat()).contains("KUBE-SVC-").doesNotContain("KUBE-PORTALS-CONTAINER");
        assertThat(traffic.failures()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"userspace, userspace", "userspace, iptables", "iptables, userspace"})
    void clientsOfUdpAreAnsweredThroughoutTheChangeOfAgents(String mode, String next) throws Exception {
        startUdp();
        NodepathProcess first = node.agent("first", "--proxy-mode=" + mode);
        first.awaitLog("proxy.synced");
        List<AtomicInteger> all = List.of(talker("10.96.0.53", 53), talker("172.18.0.2", 30053));
        awaitAnswers(first, all);
        first.terminate();
        NodepathProcess second = node.agent("second", "--proxy-mode=" + next);
        awaitAnswers(second, all);
        assertThat(second.log()).as("while there is no proxy").doesNotContain("proxy.synced");
        second.awaitLog("proxy.synced");
        awaitAnswers(second, all);
    }

    private static void awaitAnswers(NodepathProcess agent, List<AtomicInteger> all) throws Exception {
        for (AtomicInteger answers : all) {
            int before = answers.get();
            agent.await(() -> answers.get() > before + 5);
        }
    }

    @Test
    void theModeChangesFromIptablesToUserspaceUnderTraffic() throws Exception {
        NodepathProcess first = node.agent("first");
        first.awaitLog("proxy.synced");
        Socket open = connection();
        visitor();
        visitorOutside();
        awaitServed(first, 50);

        assertThat(first.terminate()).isEqualTo(143);
        NodepathProcess second = node.agent("second", "--proxy-mode=userspace");
        second.awaitLog("proxy.synced");
        second.await(() -> !nat().contains("KUBE-SVC-"));
        awaitServed(second, 50);
        exchange(open);
        assertThat(traffic.failures()).isEmpty();
    }

    /** The old process keeps its connections until they end, and lets the new one begin meanwhile. */
    @Test
    void theModeChangesFromUserspaceToIptablesWhileTheOldOneDrains() throws Exception {
        NodepathProcess first = node.agent("first", "--proxy-mode=userspace", "--drain-timeout=60s");
        first.awaitLog("proxy.synced");
        Socket open = connection();
        exchange(open);

        Thread ending = new Thread(() -> {
            try {
                int unused = first.terminate();
            } catch (IOException | InterruptedException e) {
                traffic.failed(e);
            }
        });
        visitor();
        awaitServed(first, 50);
        ending.start();
        first.awaitLog("proxy.handed_over");
        NodepathProcess second = node.agent("second", "--proxy-mode=iptables");
        second.awaitLog("proxy.synced");
        awaitServed(second, 50);
        for (int i = 0; i < 20; i++) {
            exchange(open);
        }
        second.await(() -> !nat().contains("KUBE-PORTALS-CONTAINER"));
        assertThat(nat()).contains("KUBE-SVC-");
        assertThat(first.isAlive()).isTrue();
        assertThat(traffic.failures()).isEmpty();
        open.close();
        ending.join();
        awaitServed(second, 50);
        assertThat(traffic.failures()).isEmpty();
    }
}
