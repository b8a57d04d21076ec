package dev.nodepath.emulator.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the Service of each Pod from each Pod, all at once: the sockets are opened in the Pods' namespaces, and one
 * thread waits for the answers. So a table costs some milliseconds of processor time, and no process.
 */
final class ReachedPods {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** All cases of a product that does nothing do not take hours. */
    private static final Duration LIMIT_AFTER_FAILURE = Duration.ofSeconds(20);

    /** The silence until the first look ends. The silence of each further look is twice as long, up to a limit. */
    private static final Duration SILENCE_MIN = Duration.ofMillis(50);

    private static final Duration SILENCE_MAX = Duration.ofSeconds(4);

    /** The silence of the second look. */
    private static final Duration SILENCE = Duration.ofMillis(300);

    private static final ByteBuffer HOSTNAME =
            ByteBuffer.wrap("hostname".getBytes(US_ASCII)).asReadOnlyBuffer();

    /** The kernel of a Pod chooses from others by itself. */
    private static final int FIRST_SOURCE = 10_000;

    private static final int LAST_SOURCE = 30_000;

    private final Map<String, NetworkNamespace> clients;
    private final Map<String, IpAddress> servers;
    private int source = FIRST_SOURCE;
    private Set<String> wrong = Set.of();
    private Duration silence = SILENCE_MIN;
    private Duration limit = LIMIT;

    /**
     * Prepares the questions of all clients.
     *
     * @param clients the Pods' namespaces
     * @param servers the ClusterIPs of the Pods' Services
     */
    ReachedPods(Map<String, NetworkNamespace> clients, Map<String, IpAddress> servers) {
        this.clients = clients;
        this.servers = servers;
    }

    /** Waits until the table is true, and looks again whether it stays so. */
    void await(boolean tcp, int port, TruthTable table) {
        await(tcp, port, table, true);
    }

    /** Waits until all answer all. */
    void awaitAll(boolean tcp, int port) {
        await(tcp, port, TruthTable.of(List.copyOf(clients.keySet()), TruthTable.ALL), false);
    }

    private void await(boolean tcp, int port, TruthTable table, boolean twice) {
        wrong = Set.of();
        silence = SILENCE_MIN;
        boolean done = false;
        try {
            Eventually.isTrue(
                    limit, () -> (tcp ? "TCP " : "UDP ") + port + ": " + wrong, () -> isTrue(tcp, port, table, twice));
            done = true;
        } finally {
            limit = done ? limit : LIMIT_AFTER_FAILURE;
        }
    }

    private boolean isTrue(boolean tcp, int port, TruthTable table, boolean twice)
            throws IOException, LinuxNetException {
        wrong = look(tcp, port, table, silence);
        if (wrong.isEmpty() && twice) {
            if (table.refused().isEmpty()) {
                LockSupport.parkNanos(SILENCE.toNanos()); // otherwise the second look would end at once
            }
            wrong = look(tcp, port, table, silence.compareTo(SILENCE) > 0 ? silence : SILENCE);
        }
        silence = silence.compareTo(SILENCE_MAX) < 0 ? silence.multipliedBy(2) : silence;
        return wrong.isEmpty();
    }

    /**
     * One look. It ends when all Pods have answered, when a Pod that must be refused has answered, or after a silence.
     * All expected answers must come within it: a slow machine does not count as a refusal.
     *
     * @return the differences
     */
    private Set<String> look(boolean tcp, int port, TruthTable table, Duration silence)
            throws IOException, LinuxNetException {
        List<Question> questions = new ArrayList<>();
        try (Selector selector = Selector.open()) {
            for (Map.Entry<String, NetworkNamespace> client : clients.entrySet()) {
                questions.addAll(client.getValue().call(() -> open(client.getKey(), tcp, port)));
            }
            for (Question question : questions) {
                question.start(selector);
            }
            return table.differences(answered(selector, questions.size(), table.refused(), silence));
        } finally {
            for (Question question : questions) {
                question.channel().close();
            }
        }
    }

    private static Set<String> answered(Selector selector, int questions, Set<String> refused, Duration silence)
            throws IOException {
        Set<String> answered = new TreeSet<>();
        boolean wrong = false;
        long heard = System.nanoTime();
        while (answered.size() < questions && !wrong) {
            long left = silence.toNanos() - (System.nanoTime() - heard);
            // A thread that has waited for a processor looks once more before it calls that silence.
            int ready = left > 0 ? selector.select(Math.max(left / 1_000_000, 1)) : selector.selectNow();
            if (ready == 0 && left <= 0) {
                break;
            }
            for (SelectionKey key : selector.selectedKeys()) {
                Question question = (Question) key.attachment();
                if (question.goOn(key)) {
                    answered.add(question.cell);
                    wrong |= refused.contains(question.cell);
                    heard = System.nanoTime();
                }
            }
            selector.selectedKeys().clear();
        }
        return answered;
    }

    /** Opens the sockets of a client, in its namespace. */
    private List<Question> open(String client, boolean tcp, int port) throws IOException {
        List<Question> questions = new ArrayList<>();
        for (Map.Entry<String, IpAddress> server : servers.entrySet()) {
            String cell = TruthTable.cell(client, server.getKey());
            InetSocketAddress target = new InetSocketAddress(server.getValue().toInetAddress(), port);
            questions.add(tcp ? new Connection(cell, target) : new Datagram(cell, target, nextSource()));
        }
        return questions;
    }

    /** A UDP port without a recent flow, because allowed flows continue. */
    private int nextSource() {
        source = source == LAST_SOURCE ? FIRST_SOURCE : source + 1;
        return source;
    }

    /** A client's question to a server. */
    private abstract static class Question {
        final String cell;
        final InetSocketAddress target;

        Question(String cell, InetSocketAddress target) {
            this.cell = cell;
            this.target = target;
        }

        abstract SelectableChannel channel();

        abstract void start(Selector selector) throws IOException;

        /** Continues with the ready socket, and returns whether there is an answer. */
        abstract boolean goOn(SelectionKey key);

        /** Whether there is an answer. An end of the connection by a server or a relay is no answer. */
        static boolean isAnswered(ByteChannel channel, SelectionKey key) {
            key.cancel();
            try {
                return channel.read(ByteBuffer.allocate(1024)) > 0;
            } catch (IOException e) {
                return false;
            }
        }
    }

    /**
     * A connection to a server that sends its name unasked. Connecting is not enough, because a relay may accept a
     * connection that no server gets. Its end leaves no waiting state behind.
     */
    private static final class Connection extends Question {
        private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.INET);

        Connection(String cell, InetSocketAddress target) throws IOException {
            super(cell, target);
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }

        @Override
        SelectableChannel channel() {
            return channel;
        }

        @Override
        void start(Selector selector) throws IOException {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT, this);
            if (channel.connect(target)) {
                key.interestOps(SelectionKey.OP_READ);
            }
        }

        @Override
        boolean goOn(SelectionKey key) {
            if (!key.isConnectable()) {
                return isAnswered(channel, key);
            }
            try {
                if (channel.finishConnect()) {
                    key.interestOps(SelectionKey.OP_READ);
                }
            } catch (IOException e) {
                key.cancel();
            }
            return false;
        }
    }

    /** A datagram that asks for the server's name. */
    private static final class Datagram extends Question {
        private final DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);

        Datagram(String cell, InetSocketAddress target, int source) throws IOException {
            super(cell, target);
            channel.bind(new InetSocketAddress(source));
            channel.connect(target);
        }

        @Override
        SelectableChannel channel() {
            return channel;
        }

        @Override
        void start(Selector selector) throws IOException {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
            channel.write(HOSTNAME.duplicate());
        }

        @Override
        boolean goOn(SelectionKey key) {
            return isAnswered(channel, key);
        }
    }
}
