package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** One connection with lines back and forth without a pause, and its fate. */
final class LineConnection implements AutoCloseable {
    private static final int MORE = 200;
    /** Longer than a queue, shorter than the first time that TCP waits before it sends a packet again. */
    private static final Duration LATE = Duration.ofMillis(190);

    private final NetworkNamespace client;
    private final long resentBefore;
    private final Socket socket;
    private final Thread thread;
    private final AtomicReference<String> failure = new AtomicReference<>("");
    private volatile boolean stopping;
    private final AtomicLong exchanges = new AtomicLong();
    private final AtomicLong late = new AtomicLong();

    private LineConnection(NetworkNamespace client, Socket socket) throws IOException {
        this.client = client;
        this.resentBefore = resent(client);
        this.socket = socket;
        this.thread = new Thread(this::run, "traffic");
    }

    static LineConnection start(NetworkNamespace from, String address) throws IOException {
        Socket socket = EchoServer.connect(from, address);
        EchoServer.readLine(socket);
        LineConnection traffic = new LineConnection(from, socket);
        traffic.thread.setDaemon(true);
        traffic.thread.start();
        return traffic;
    }

    /**
     * The number of exchanges that were slow enough to show a lost packet, if the client has sent any packet again. A
     * lost answer takes its acknowledgement with it. Without that, the machine itself stood still.
     */
    long lost() throws IOException {
        return hasResent() ? late.get() : 0;
    }

    boolean hasResent() throws IOException {
        return resent(client) > resentBefore;
    }

    /** The packets that a namespace has sent again. Packets of unsuccessful connections are left out. */
    private static long resent(NetworkNamespace namespace) throws IOException {
        return namespace.call(
                () -> counter("snmp", "Tcp: ", "RetransSegs") - counter("netstat", "TcpExt: ", "TCPSynRetrans"));
    }

    /** A counter of {@code proc_pid_net(5)}: a line of names stands before the line of their values. */
    private static long counter(String file, String group, String name) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/thread-self/net", file)).stream()
                .filter(line -> line.startsWith(group))
                .toList();
        int at = List.of(lines.get(0).split(" ", -1)).indexOf(name);
        return Long.parseLong(lines.get(1).split(" ", -1)[at]);
    }

    /** Waits for {@value #MORE} more exchanges. */
    void awaitMore() {
        long start = exchanges.get();
        Eventually.isTrue("more traffic", () -> {
            assertThat(failure.get()).isEmpty();
            return exchanges.get() >= start + MORE;
        });
    }

    void assertSameConnection() {
        assertThat(failure.get()).isEmpty();
        assertThat(thread.isAlive()).isTrue();
    }

    private void run() {
        try {
            while (!stopping) {
                long start = System.nanoTime();
                EchoServer.exchange(socket, "line " + exchanges.incrementAndGet());
                if (System.nanoTime() - start > LATE.toNanos()) {
                    late.incrementAndGet();
                }
            }
        } catch (IOException e) {
            if (!stopping) {
                failure.set(String.valueOf(e));
            }
        }
    }

    @Override
    public void close() throws IOException {
        stopping = true;
        socket.close();
    }
}
