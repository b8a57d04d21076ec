package dev.nodepath.bench.jmh;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.proxy.userspace.UserspaceProxy;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Sends a request through the relay and measures time and allocation. Client and server are in the same process and
 * allocate nothing. Start it in an enclosure, with {@code -prof gc}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class RelayBenchmark {
    /** The Service's address. It is in the loopback range, because an enclosure has no other route. */
    private static final IpAddress SERVICE = IpAddress.parse("127.0.0.10");

    private static final int PORT = 80;

    /** Bytes of a request, and of its answer. */
    @Param({"64", "65536"})
    public int size;

    private final UserspaceProxy proxy = new UserspaceProxy(
            "n1",
            RelayConfig.DEFAULTS.with(draft -> draft.eventLoops = 1),
            List.of(new IptablesCommand(IpFamily.IPV4)));
    private final ServerSocketChannel server = opened(ServerSocketChannel::open);
    private final SocketChannel client = opened(SocketChannel::open);
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    private interface Opener<T> {
        T open() throws IOException;
    }

    private static <T> T opened(Opener<T> opener) {
        try {
            return opener.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts an echo server behind a Service and connects to the Service. */
    @Setup
    public void connect() throws SyncException, IOException {
        buffer = ByteBuffer.allocateDirect(size);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread echo = new Thread(this::echo, "echo");
        echo.setDaemon(true);
        echo.start();
        ServicePortName name = new ServicePortName(new NamespacedName("default", "echo"), "", Protocol.TCP);
        ServicePort service = new ServicePort(name, List.of(SERVICE), PORT, 0, List.of(), List.of());
        Endpoint endpoint =
                Endpoint.ready(IpAddress.parse("127.0.0.1"), server.socket().getLocalPort(), "n1");
        proxy.sync(
                new ServiceSnapshot(
                        new TreeMap<>(Map.of(name, service)), Map.of(name, List.of(endpoint)), new TreeMap<>()),
                ChangeSet.of(List.of(name)));
        client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        client.connect(new InetSocketAddress(SERVICE.toInetAddress(), PORT));
    }

    private void echo() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 20);
        try (SocketChannel connection = server.accept()) {
            connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
            while (connection.read(bytes) >= 0) {
                bytes.flip();
                while (bytes.hasRemaining()) {
                    connection.write(bytes);
                }
                bytes.clear();
            }
        } catch (IOException e) {
            // The client has gone.
        }
    }

    /** One request, and all of its answer. */
    @Benchmark
    public int request() throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            client.write(buffer);
        }
        buffer.clear();
        while (buffer.hasRemaining()) {
            client.read(buffer);
        }
        return buffer.position();
    }

    /** Ends the proxy. */
    @TearDown
    public void close() throws IOException {
        client.close();
        server.close();
        proxy.close();
    }
}
