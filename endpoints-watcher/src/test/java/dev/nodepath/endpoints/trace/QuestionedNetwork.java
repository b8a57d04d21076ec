package dev.nodepath.endpoints.trace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.trace.RoutedNetwork.Host;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * A {@link RoutedNetwork} whose servers tell each client their name and the source that they see. An answer is {@code
 * LOCAL_SERVER sees 10.244.1.3}, {@code REJECT}, or {@code DROP} if there is none.
 */
public final class QuestionedNetwork implements AutoCloseable {
    /** Where servers answer, over TCP and UDP. */
    public static final int SERVER_PORT = 8080;

    private static final List<Host> SERVERS = List.of(Host.NODE, Host.LOCAL_SERVER, Host.REMOTE_SERVER);

    /** In this many tries both of two endpoints are seen, except in one case of 2^63. */
    private static final int TRIES = 64;

    /** A dropped packet never gets an answer; other answers take a millisecond. */
    private static final int SILENCE_MS = 500;

    private static final int ANSWER_WAIT_MS = 60_000;

    private final RoutedNetwork network = new RoutedNetwork();
    private final Deque<Closeable> open = new ArrayDeque<>();
    private final ExecutorService clients = Executors.newFixedThreadPool(8);

    /** Makes the network and starts the servers. */
    public QuestionedNetwork() throws IOException {
        for (Host server : SERVERS) {
            for (IpFamily family : IpFamily.values()) {
                serveTcp(server, family);
                serveUdp(server, family);
            }
        }
    }

    /** The hosts, for rules. */
    public RoutedNetwork hosts() {
        return network;
    }

    private void serveTcp(Host host, IpFamily family) throws IOException {
        ServerSocket server = network.handle(host)
                .call(() ->
                        new ServerSocket(SERVER_PORT, 50, host.address(family).toInetAddress()));
        open.push(server);
        start(host + "-tcp", () -> {
            while (true) {
                try (Socket client = server.accept()) {
                    client.getOutputStream().write(answer(host, IpAddress.of(client.getInetAddress())));
                    // The client ends the connection by a reset, so that none of its ports is left waiting.
                    client.getInputStream().readAllBytes();
                } catch (SocketException e) {
                    if (server.isClosed()) {
                        return null;
                    }
                }
            }
        });
    }

    private void serveUdp(Host host, IpFamily family) throws IOException {
        DatagramSocket server = network.handle(host)
                .call(() -> new DatagramSocket(SERVER_PORT, host.address(family).toInetAddress()));
        open.push(server);
        start(host + "-udp", () -> {
            DatagramPacket packet = new DatagramPacket(new byte[8], 8);
            while (true) {
                server.receive(packet);
                byte[] answer = answer(host, IpAddress.of(packet.getAddress()));
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

    private static byte[] answer(Host host, IpAddress source) {
        return (text(host, source) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Host host, IpAddress source) {
        return host + " sees " + source;
    }

    /** The answers that a trace promises. */
    public static Set<String> promised(TracedPacket packet, Trace trace) {
        Set<String> answers = new TreeSet<>();
        trace.outcomes().forEach(outcome -> answers.add(promised(packet, outcome)));
        return answers;
    }

    private static String promised(TracedPacket packet, Trace.Outcome outcome) {
        return switch (outcome.verdict()) {
            case DROP, REJECT -> outcome.verdict().name();
            case ENDPOINT, ACCEPT, UNTOUCHED -> {
                IpFamily family = outcome.address().family();
                for (Host server : SERVERS) {
                    if (outcome.address().equals(server.address(family))) {
                        yield promised(server, packet, outcome);
                    }
                }
                boolean exists = outcome.address().isLoopback()
                        || outcome.address().equals(RoutedNetwork.podGateway(family))
                        || Set.of(Host.values()).stream()
                                .anyMatch(host -> host.address(family).equals(outcome.address()));
                yield exists ? "REJECT" : "DROP";
            }
        };
    }

    private static String promised(Host server, TracedPacket packet, Trace.Outcome outcome) {
        IpFamily family = outcome.address().family();
        if (outcome.port() != SERVER_PORT) {
            return "REJECT";
        } else if (outcome.masqueraded()) {
            return text(
                    server, server == Host.LOCAL_SERVER ? RoutedNetwork.podGateway(family) : Host.NODE.address(family));
        } else {
            // No host takes a packet from outside that has its own address as the source.
            boolean own = server != Host.NODE && packet.source().equals(outcome.address());
            return own ? "DROP" : text(server, packet.source());
        }
    }

    /**
     * Asks all questions, and compares the answers with a tracer's promises.
     *
     * @param all whether each promised answer must be seen; otherwise one of them is enough
     * @return the differences, a line for each question; empty if there are none
     */
    public List<String> differences(Collection<Question> questions, Function<TracedPacket, Trace> tracer, boolean all)
            throws Exception {
        List<Future<String>> results = new ArrayList<>();
        for (Question question : questions) {
            Set<String> promised = promised(question.packet(), tracer.apply(question.packet()));
            results.add(clients.submit(() -> difference(question, promised, all)));
        }
        List<String> differences = new ArrayList<>();
        for (Future<String> result : results) {
            differences.add(result.get());
        }
        differences.removeIf(String::isEmpty);
        return differences;
    }

    private String difference(Question question, Set<String> promised, boolean all) throws IOException {
        Set<String> seen = new TreeSet<>();
        int waitMs = promised.contains("DROP") ? SILENCE_MS : ANSWER_WAIT_MS;
        for (int i = 0; i < (all ? TRIES : 1) && !seen.equals(promised); i++) {
            String answer = network.handle(question.client()).call(() -> ask(question.packet(), waitMs));
            seen.add(answer);
            if (!promised.contains(answer)) {
                break;
            }
        }
        boolean same = all ? seen.equals(promised) : promised.containsAll(seen);
        return same ? "" : question + ": kernel " + seen + ", tracer " + promised;
    }

    private static String ask(TracedPacket packet, int waitMs) throws IOException {
        try {
            return packet.protocol() == Protocol.TCP ? askTcp(packet, waitMs) : askUdp(packet, waitMs);
        } catch (ConnectException | PortUnreachableException e) {
            return "REJECT";
        } catch (SocketTimeoutException e) {
            return "DROP";
        }
    }

    private static String askTcp(TracedPacket packet, int waitMs) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoLinger(true, 0);
            socket.bind(new InetSocketAddress(packet.source().toInetAddress(), 0));
            socket.connect(new InetSocketAddress(packet.destination().toInetAddress(), packet.port()), waitMs);
            socket.setSoTimeout(waitMs);
            StringBuilder line = new StringBuilder();
            for (int c = socket.getInputStream().read();
                    c >= 0 && c != '\n';
                    c = socket.getInputStream().read()) {
                line.append((char) c);
            }
            return line.toString();
        }
    }

    private static String askUdp(TracedPacket packet, int waitMs) throws IOException {
        try (DatagramSocket socket =
                new DatagramSocket(new InetSocketAddress(packet.source().toInetAddress(), 0))) {
            socket.connect(new InetSocketAddress(packet.destination().toInetAddress(), packet.port()));
            socket.setSoTimeout(waitMs);
            send(socket);
            DatagramPacket answer = new DatagramPacket(new byte[128], 128);
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8).strip();
        }
    }

    /** The node's own packet that a rule drops is EPERM here; whether it was rejected too, the next call tells. */
    private static void send(DatagramSocket socket) throws IOException {
        try {
            socket.send(new DatagramPacket(new byte[] {1}, 1));
        } catch (PortUnreachableException e) {
            throw e;
        } catch (IOException e) {
            if (!"Operation not permitted".equals(e.getMessage())) {
                throw e;
            }
        }
    }

    @Override
    public void close() throws IOException {
        clients.shutdownNow();
        while (!open.isEmpty()) {
            open.pop().close();
        }
        network.close();
    }
}
