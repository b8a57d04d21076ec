package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
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

/** One process of userspace mode takes over from another while clients come and go. */
@Tag("netns")
@Tag("faults")
@Timeout(900)
class UserspaceHandoverTest {
    private static final int LIMIT_SECONDS = 300;
    private static final int ANSWER_LIMIT_MILLIS = 200;
    private static final String SERVICES = """
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec:
              clusterIP: 10.96.0.10
              ports: [{name: tcp, port: 80}, {name: udp, port: 53, protocol: UDP}]
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}
            addressType: IPv4
            ports: [{name: tcp, port: 8080}, {name: udp, port: 8053, protocol: UDP}]
            endpoints: [{addresses: [172.18.0.2], nodeName: n1}]
            """;

    private final IptablesNamespace namespace = IptablesNamespace.create();
    private final NetworkNamespace inside = namespace.opened();
    private final BackgroundTraffic traffic = new BackgroundTraffic();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger answers = new AtomicInteger();
    private final List<AutoCloseable> sockets = new ArrayList<>();
    private final List<NodepathProcess> processes = new ArrayList<>();

    @TempDir
    private Path folder;

    UserspaceHandoverTest() throws IOException {}

    @BeforeEach
    void startServers() throws IOException {
        namespace.run("ip", "link", "set", "lo", "up");
        namespace.run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth1");
        namespace.run("ip", "addr", "add", "172.18.0.2/24", "dev", "eth0");
        namespace.run("ip", "link", "set", "eth0", "up");
        namespace.run("ip", "link", "set", "eth1", "up");
        namespace.run("ip", "route", "add", "default", "via", "172.18.0.1");
        Files.writeString(folder.resolve("web.yaml"), SERVICES);
        ServerSocket tcp = opened(() -> new ServerSocket(8080));
        DatagramSocket udp = opened(() -> new DatagramSocket(8053));
        traffic.start(() -> {
            while (!traffic.isOver()) {
                Socket client = tcp.accept();
                traffic.start(() -> {
                    try (client) {
                        client.getInputStream().transferTo(client.getOutputStream());
                    }
                });
            }
        });
        traffic.start(() -> {
            DatagramPacket packet = new DatagramPacket(new byte[100], 100);
            while (!traffic.isOver()) {
                udp.receive(packet);
                udp.send(packet);
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        traffic.close();
        processes.forEach(NodepathProcess::close);
        for (AutoCloseable socket : sockets) {
            socket.close();
        }
        traffic.join();
        namespace.close();
    }

    @Test
    void newProcessTakesOverAndNobodyIsCut() throws Exception {
        NodepathProcess old = start("old");
        old.awaitLog("proxy.synced");
        Socket connection = opened(UserspaceHandoverTest::connect);
        exchange(connection);
        visitors();
        old.await(() -> requests.get() > 50 && answers.get() > 50);

        NodepathProcess successor = start("new");
        successor.awaitLog("proxy.synced");
        old.awaitLog("portal.taken_over");
        int before = requests.get();
        old.await(() -> requests.get() > before + 200);
        old.destroy();
        for (int i = 0; i < 100; i++) {
            exchange(connection);
        }
        assertThat(old.isAlive()).isTrue();
        connection.close();
        old.exitCode();

        int requestsThen = requests.get();
        int answersThen = answers.get();
        successor.await(() -> requests.get() > requestsThen + 200 && answers.get() > answersThen + 50);
        assertThat(traffic.failures()).isEmpty();
    }

    @Test
    void oldProcessTakesThePortalsBackWhenItsSuccessorIsKilled() throws Exception {
        NodepathProcess old = start("old");
        old.awaitLog("proxy.synced");
        NodepathProcess successor = start("new");
        successor.awaitLog("proxy.synced");
        old.awaitLog("portal.taken_over");
        successor.kill();
        old.await(() -> {
            try (Socket client = inside.call(UserspaceHandoverTest::connect)) {
                exchange(client);
                return true;
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** Clients with a connection for each request, and one that always sends datagrams from the same port. */
    private void visitors() throws IOException {
        for (int i = 0; i < 2; i++) {
            traffic.start(() -> inside.call(() -> {
                while (traffic.goesOn()) {
                    try (Socket client = connect()) {
                        exchange(client);
                        requests.incrementAndGet();
                    } catch (IOException e) {
                        traffic.failed(e);
                    }
                }
                return true;
            }));
        }
        DatagramSocket client = opened(DatagramSocket::new);
        client.setSoTimeout(ANSWER_LIMIT_MILLIS);
        client.connect(new InetSocketAddress("10.96.0.10", 53));
        traffic.start(() -> {
            while (traffic.goesOn()) {
                try {
                    client.send(new DatagramPacket(new byte[] {1}, 1));
                    client.receive(new DatagramPacket(new byte[1], 1));
                    answers.incrementAndGet();
                } catch (SocketTimeoutException e) {
                    // A datagram may be lost on the way; it goes on sending.
                }
            }
        });
    }

    private static Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        socket.connect(new InetSocketAddress("10.96.0.10", 80), (int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        return socket;
    }

    private static void exchange(Socket socket) throws IOException {
        socket.getOutputStream().write('x');
        int answer = socket.getInputStream().read();
        if (answer != 'x') {
            throw new IOException("answer: " + answer + " (expected: x)");
        }
    }

    private NodepathProcess start(String name) throws IOException {
        NodepathProcess process = NodepathProcess.proxy(
                namespace.launcher(),
                folder.resolve(name),
                List.of(
                        "--mode=userspace",
                        "--hostname-override=n1",
                        "--drain-timeout=60s",
                        "--udp-timeout=1s",
                        "--iptables-sync-period=1s",
                        "--manifests=" + folder.resolve("web.yaml")));
        processes.add(process);
        return process;
    }

    private interface Opening<T> {
        T open() throws IOException;
    }

    private <T extends AutoCloseable> T opened(Opening<T> opening) throws LinuxNetException {
        T socket = inside.call(opening::open);
        sockets.add(socket);
        return socket;
    }
}
