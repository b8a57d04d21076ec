package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.iptables.RoutedNetwork.Host;
import dev.nodepath.proxy.iptables.rules.IptablesConfig;
import dev.nodepath.proxy.iptables.rules.IptablesRules;
import dev.nodepath.proxy.iptables.trace.PacketTracer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The tracer's answer is what the kernel does: who may answer, and which source it sees, for every source, way in, traffic
 * policy and place of endpoints.
 */
@Tag("netns")
class TracerNetnsTest {
    private static final int SERVER_PORT = 8080;

    /** In this many tries both of two endpoints are seen, except in one case of 2^63. */
    private static final int TRIES = 64;

    /** What is dropped is not answered at any time; what is answered takes a millisecond. */
    private static final int SILENCE_MS = 500;

    private static final int ANSWER_WAIT_MS = 10_000;

    private final RoutedNetwork network = new RoutedNetwork();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final ExecutorService clients = Executors.newFixedThreadPool(8);

    TracerNetnsTest() throws IOException {
        for (Host server : List.of(Host.LOCAL_SERVER, Host.REMOTE_SERVER)) {
            serveTcp(server);
            serveUdp(server);
        }
    }

    @AfterEach
    void close() throws Exception {
        clients.shutdownNow();
        while (!open.isEmpty()) {
            open.pop().close();
        }
        network.close();
    }

    /** Tells each client who answers and which source it has come from. */
    private void serveTcp(Host host) throws IOException {
        ServerSocket server = network.handle(host).call(() -> new ServerSocket(SERVER_PORT));
        open.push(server);
        start(host + "-tcp", () -> {
            while (true) {
                try (Socket client = server.accept()) {
                    client.getOutputStream().write(answer(host, client.getInetAddress()));
                    // The client ends it by a reset, so that no port of it is left waiting.
                    client.getInputStream().readAllBytes();
                } catch (java.net.SocketException e) {
                    if (server.isClosed()) {
                        return null;
                    }
                }
            }
        });
    }

    private void serveUdp(Host host) throws IOException {
        DatagramSocket server = network.handle(host).call(() -> new DatagramSocket(SERVER_PORT));
        open.push(server);
        start(host + "-udp", () -> {
            DatagramPacket packet = new DatagramPacket(new byte[8], 8);
            while (true) {
                server.receive(packet);
                byte[] answer = answer(host, packet.getAddress());
                server.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            }
        });
    }

    private static void start(String name, Callable<Void> server) {
        Thread thread = new Thread(
                () -> {
                    try {
                        server.call();
                    } catch (Exception e) {
                        // The test is over; if it is not, it misses an answer.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private static byte[] answer(Host host, InetAddress source) {
        return (host + " sees " + source.getHostAddress() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Who asks, from which of its addresses. */
    private record Client(Host host, String address) {
        Client(Host host) {
            this(host, host.address());
        }
    }

    private static final List<Client> CLIENTS = List.of(
            new Client(Host.LOCAL_CLIENT),
            new Client(Host.LOCAL_SERVER),
            new Client(Host.REMOTE_CLIENT),
            new Client(Host.REMOTE_SERVER),
            new Client(Host.NODE),
            new Client(Host.OUTSIDE));

    private record Flow(String service, Client client, Protocol protocol, String destination, int port) {}

    /** Every combination of policies, with endpoints on both nodes and with none on this one, and a Service without any. */
    private static ServiceSnapshot services(List<Flow> flows) {
        Snapshots snapshots = Snapshots.service("a/none", "10.96.0.100", 80);
        addWays(snapshots, "none", 0, flows);
        int number = 1;
        for (boolean externalLocal : new boolean[] {false, true}) {
            for (boolean internalLocal : new boolean[] {false, true}) {
                for (boolean alsoLocal : new boolean[] {false, true}) {
                    String name = (externalLocal ? "el" : "ec")
                            + (internalLocal ? "-il" : "-ic")
                            + (alsoLocal ? "-both" : "-remote");
                    snapshots.andService("a/" + name, "10.96.0." + (100 + number), 80);
                    addWays(snapshots, name, number, flows);
                    if (externalLocal) {
                        snapshots.externalTrafficLocal();
                    }
                    if (internalLocal) {
                        snapshots.internalTrafficLocal();
                    }
                    addEndpoints(snapshots, alsoLocal);
                    number++;
                }
            }
        }
        snapshots.andService("a/udp", Protocol.UDP, "10.96.0.200", 53).nodePort(30200);
        addEndpoints(snapshots, true);
        for (Client client : CLIENTS) {
            flows.add(new Flow("udp", client, Protocol.UDP, "10.96.0.200", 53));
            flows.add(new Flow("udp", client, Protocol.UDP, RoutedNetwork.NODE_IP, 30200));
        }
        return snapshots.node("n1", RoutedNetwork.NODE_IP, "10.244.1.0/24").build();
    }

    private static void addEndpoints(Snapshots snapshots, boolean alsoLocal) {
        snapshots.endpoint(Host.REMOTE_SERVER.address() + ":" + SERVER_PORT, "n2");
        if (alsoLocal) {
            snapshots.endpoint(Host.LOCAL_SERVER.address() + ":" + SERVER_PORT, "n1");
        }
    }

    private static void addWays(Snapshots snapshots, String name, int number, List<Flow> flows) {
        String externalIp = "203.0.113." + (10 + number);
        String balancerIp = "203.0.113." + (100 + number);
        int nodePort = 30000 + number;
        snapshots.nodePort(nodePort).externalIps(externalIp).loadBalancerIps(balancerIp);
        for (Client client : CLIENTS) {
            flows.add(new Flow(name, client, Protocol.TCP, "10.96.0." + (100 + number), 80));
            flows.add(new Flow(name, client, Protocol.TCP, externalIp, 80));
            flows.add(new Flow(name, client, Protocol.TCP, balancerIp, 80));
            flows.add(new Flow(name, client, Protocol.TCP, RoutedNetwork.NODE_IP, nodePort));
        }
        flows.add(new Flow(name, new Client(Host.NODE, "127.0.0.1"), Protocol.TCP, "127.0.0.1", nodePort));
    }

    @ParameterizedTest
    @CsvSource({"10.244.0.0/16, false", "10.244.0.0/16, true", "10.244.1.0/24, false", "10.244.1.0/24, true"})
    void tellsWhatTheKernelDoes(String pods, boolean masqueradeAll) throws Exception {
        IptablesConfig config = IptablesConfig.DEFAULTS
                .withNodeName("n1")
                .withClusterCidrs(List.of(Cidr.parse(pods)))
                .withMasqueradeAll(masqueradeAll);
        List<Flow> flows = new ArrayList<>();
        ServiceSnapshot snapshot = services(flows);
        try (IptablesProxy proxy = new IptablesProxy(
                config, List.of(network.iptables(Host.NODE).iptables(IpFamily.IPV4)), network.handle(Host.NODE))) {
            proxy.sync(snapshot, ChangeSet.NONE);
        }
        List<Future<String>> results = new ArrayList<>();
        Set<String> told = new TreeSet<>();
        for (Flow flow : flows) {
            Set<String> expected = traced(flow, snapshot, config);
            told.addAll(expected);
            results.add(clients.submit(() -> difference(flow, expected)));
        }
        List<String> differences = new ArrayList<>();
        for (Future<String> result : results) {
            differences.add(result.get());
        }
        assertThat(differences).filteredOn(difference -> !difference.isEmpty()).isEmpty();
        assertThat(told)
                .contains("DROP", "REJECT", "LOCAL_SERVER sees 10.244.1.1", "REMOTE_SERVER sees " + Host.NODE.address())
                .contains("LOCAL_SERVER sees " + Host.OUTSIDE.address());
    }

    private static Set<String> traced(Flow flow, ServiceSnapshot snapshot, IptablesConfig config) {
        TracedPacket packet = new TracedPacket(
                IpAddress.parse(flow.client().address()),
                flow.protocol(),
                IpAddress.parse(flow.destination()),
                flow.port(),
                "");
        Set<IpAddress> host =
                Set.of(IpAddress.parse(RoutedNetwork.NODE_IP), IpAddress.parse(RoutedNetwork.POD_GATEWAY));
        Trace trace = PacketTracer.trace(IptablesRules.of(snapshot, config, IpFamily.IPV4), packet, host);
        Set<String> answers = new TreeSet<>();
        for (Trace.Outcome outcome : trace.outcomes()) {
            if (outcome.verdict() == Trace.Verdict.ENDPOINT) {
                boolean local = outcome.address().toString().equals(Host.LOCAL_SERVER.address());
                String towardsIt = local ? RoutedNetwork.POD_GATEWAY : RoutedNetwork.NODE_IP;
                answers.add((local ? Host.LOCAL_SERVER : Host.REMOTE_SERVER) + " sees "
                        + (outcome.masqueraded() ? towardsIt : flow.client().address()));
            } else {
                // What leaves untouched finds nobody out there who has such an address.
                boolean lost = outcome.verdict() == Trace.Verdict.UNTOUCHED;
                answers.add((lost ? Trace.Verdict.DROP : outcome.verdict()).toString());
            }
        }
        return answers;
    }

    /** Empty if the kernel does what the tracer has told, and does all of it. */
    private String difference(Flow flow, Set<String> expected) throws IOException {
        Set<String> seen = new TreeSet<>();
        boolean silent = expected.contains("DROP");
        for (int i = 0; i < TRIES && !seen.equals(expected); i++) {
            int waitMs = silent ? SILENCE_MS : ANSWER_WAIT_MS;
            String answer = network.handle(flow.client().host())
                    .call(() -> flow.protocol() == Protocol.TCP ? askTcp(flow, waitMs) : askUdp(flow, waitMs));
            seen.add(answer);
            if (!expected.contains(answer)) {
                break;
            }
        }
        return seen.equals(expected) ? "" : flow + ": kernel " + seen + ", tracer " + expected;
    }

    private static String askTcp(Flow flow, int waitMs) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoLinger(true, 0);
            socket.bind(new InetSocketAddress(flow.client().address(), 0));
            socket.connect(new InetSocketAddress(flow.destination(), flow.port()), waitMs);
            socket.setSoTimeout(waitMs);
            StringBuilder line = new StringBuilder();
            for (int c = socket.getInputStream().read();
                    c >= 0 && c != '\n';
                    c = socket.getInputStream().read()) {
                line.append((char) c);
            }
            return line.toString();
        } catch (ConnectException e) {
            return "REJECT";
        } catch (SocketTimeoutException e) {
            return "DROP";
        }
    }

    private static String askUdp(Flow flow, int waitMs) throws IOException {
        try (DatagramSocket socket =
                new DatagramSocket(new InetSocketAddress(flow.client().address(), 0))) {
            socket.connect(new InetSocketAddress(flow.destination(), flow.port()));
            socket.setSoTimeout(waitMs);
            socket.send(new DatagramPacket(new byte[] {1}, 1));
            DatagramPacket answer = new DatagramPacket(new byte[128], 128);
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8).strip();
        } catch (PortUnreachableException e) {
            return "REJECT";
        } catch (SocketTimeoutException e) {
            return "DROP";
        }
    }
}
