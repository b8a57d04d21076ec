package dev.nodepath.agent.daemon;

import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The endpoint of a node's Service and its clients, on the node and outside, while agents come and go. */
final class NodeTraffic implements AutoCloseable {
    private static final int LIMIT_MILLIS = (int) TimeUnit.SECONDS.toMillis(NodepathProcess.LIMIT_SECONDS);

    /** A visitor that gets no answer for so long has failed. The kernel would try again after 1 s. */
    private static final int CONNECT_MILLIS = 900;

    /** A client of UDP gives up on an answer after this. */
    private static final int ANSWER_MILLIS = 200;

    private static final InetSocketAddress CLUSTER_IP = new InetSocketAddress("10.96.0.10", 80);
    private static final InetSocketAddress NODE_PORT = new InetSocketAddress("172.18.0.2", AgentNode.NODE_PORT);

    private final BackgroundTraffic background = new BackgroundTraffic();
    /** The requests of each visitor that were answered. */
    private final List<AtomicInteger> served = new ArrayList<>();

    private final List<Opened> opened = new ArrayList<>();
    private final AgentNode node;
    private final NetworkNamespace outside;

    /** Something to close. */
    private interface Opened {
        void close() throws IOException;
    }

    /** Starts the endpoint. */
    NodeTraffic(AgentNode node) throws IOException {
        this.node = node;
        this.outside = outside();
        ServerSocket server = node.inside().call(() -> new ServerSocket(8080));
        opened.add(server::close);
        background.start(() -> {
            while (true) {
                Socket client = server.accept();
                background.start(() -> {
                    try (client) {
                        client.getInputStream().transferTo(client.getOutputStream());
                    }
                });
            }
        });
    }

    /** A neighbour that reaches the node's own address over another link. */
    private NetworkNamespace outside() throws IOException {
        IptablesNamespace neighbour = IptablesNamespace.create();
        opened.add(neighbour::close);
        node.namespace()
                .run("ip", "link", "add", "outside", "type", "veth", "peer", "name", "eth0", "netns", neighbour.name());
        node.namespace().run("ip", "addr", "add", "192.0.2.1/24", "dev", "outside");
        node.namespace().run("ip", "link", "set", "outside", "up");
        neighbour.run("ip", "addr", "add", "192.0.2.2/24", "dev", "eth0");
        neighbour.run("ip", "link", "set", "eth0", "up");
        neighbour.run("ip", "route", "add", "default", "via", "192.0.2.1");
        return neighbour.opened();
    }

    /** An open connection from the node through the cluster IP. */
    Socket connection() throws IOException {
        return connection(node.inside(), CLUSTER_IP);
    }

    /** An open connection from outside through the node port. */
    Socket connectionFromOutside() throws IOException {
        return connection(outside, NODE_PORT);
    }

    private Socket connection(NetworkNamespace from, InetSocketAddress to) throws IOException {
        Socket socket = from.call(() -> connect(to, LIMIT_MILLIS));
        opened.add(socket::close);
        return socket;
    }

    /** Sends a byte and awaits it back. */
    static void exchange(Socket socket) throws IOException {
        socket.getOutputStream().write('x');
        int answer = socket.getInputStream().read();
        if (answer != 'x') {
            throw new IOException("answer: " + answer + " (expected: x)");
        }
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

    /** Starts a client on the node with a new connection to the cluster IP for each request. */
    void visitor() {
        visitor(node.inside(), CLUSTER_IP);
    }

    /** The same from outside, at the node port. */
    void visitorOutside() {
        visitor(outside, NODE_PORT);
    }

    private void visitor(NetworkNamespace from, InetSocketAddress to) {
        AtomicInteger answers = new AtomicInteger();
        served.add(answers);
        background.start(() -> from.call(() -> {
            while (background.goesOn()) {
                long lost = DroppedPackets.ofTheMachine();
                try (Socket client = connect(to, CONNECT_MILLIS)) {
                    exchange(client);
                    answers.incrementAndGet();
                } catch (SocketTimeoutException e) {
                    if (DroppedPackets.ofTheMachine() == lost) {
                        background.failed(new IOException(to + ": " + e, e));
                    }
                } catch (IOException e) {
                    background.failed(new IOException(to + ": " + e, e));
                }
            }
            return true;
        }));
    }

    /** Waits for so many more requests of each visitor. Requests that were under way have then ended. */
    void awaitServed(NodepathProcess agent, int more) {
        for (AtomicInteger answers : served) {
            int before = answers.get();
            agent.await(() -> answers.get() >= before + more);
        }
    }

    /** The requests of visitors that were answered. */
    int served() {
        return served.stream().mapToInt(AtomicInteger::get).sum();
    }

    /** Requests of visitors that were not answered, the oldest first. */
    Queue<String> failures() {
        return background.failures();
    }

    /** Starts other work in the background. */
    void start(BackgroundTraffic.Work work) {
        background.start(work);
    }

    /** Notes a failure. */
    void failed(Exception problem) {
        background.failed(problem);
    }

    /** Starts an endpoint of UDP at this port. */
    void echoDatagrams(int port) throws IOException {
        DatagramSocket server = node.inside().call(() -> new DatagramSocket(port));
        opened.add(server::close);
        background.start(() -> {
            DatagramPacket packet = new DatagramPacket(new byte[100], 100);
            while (!background.isOver()) {
                server.receive(packet);
                server.send(packet);
            }
        });
    }

    /**
     * A client of UDP that sends all its datagrams from one port.
     *
     * @param answers how many were answered
     */
    record Talker(DatagramSocket socket, AtomicInteger answers) implements AutoCloseable {
        /** Ends it. */
        @Override
        public void close() {
            socket.close();
        }
    }

    /** Starts one. */
    Talker talker(String address, int port) throws IOException {
        AtomicInteger answers = new AtomicInteger();
        DatagramSocket client = node.inside().call(() -> new DatagramSocket());
        opened.add(client::close);
        client.setSoTimeout(ANSWER_MILLIS);
        client.connect(new InetSocketAddress(address, port));
        background.start(() -> {
            while (background.goesOn()) {
                try {
                    client.send(new DatagramPacket(new byte[] {1}, 1));
                    client.receive(new DatagramPacket(new byte[1], 1));
                    answers.incrementAndGet();
                } catch (SocketTimeoutException | PortUnreachableException e) {
                    // It continues to send: the test only needs new answers.
                }
            }
        });
        return new Talker(client, answers);
    }

    @Override
    public void close() throws IOException {
        background.close();
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }
}
