package dev.nodepath.emulator.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.dns.ConnectionLimit;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.HeldPorts;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TrafficTest {
    private static final EventLoopGroup LOOPS = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final AtomicInteger changes = new AtomicInteger();
    private PodServer server;
    private InetSocketAddress http;
    private InetSocketAddress bulk;

    @BeforeEach
    void start() throws IOException {
        // The fake's namespaces run tasks in place, so these sockets are real ones of this machine's loopback.
        server = new PodServer(
                "web-1",
                "/healthz",
                new FakeLinuxNet().current(),
                LOOPS,
                PodServer.limitOfAll(),
                () -> changes.incrementAndGet());
        http = loopback(HeldPorts.next());
        bulk = loopback(HeldPorts.next());
        server.listenHttp(http.getPort());
        server.listenBulk(bulk.getPort());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @AfterAll
    static void stopLoops() {
        LOOPS.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void podSaysWhoItIsAndWhichSourceItSaw() {
        Greeting greeting = Greeting.ask(http, LIMIT);

        assertThat(greeting.outcome()).isEqualTo(Greeting.Outcome.ANSWERED);
        assertThat(greeting.pod()).isEqualTo("web-1");
        assertThat(greeting.source()).isEqualTo("127.0.0.1");
    }

    @Test
    void podTurnsUnreadyAndReadyOnRequest() {
        assertThat(Greeting.status(http, "GET", "/readyz", LIMIT)).isEqualTo(200);
        assertThat(Greeting.status(http, "POST", "/unready", LIMIT)).isEqualTo(200);
        assertThat(Greeting.status(http, "GET", "/readyz", LIMIT)).isEqualTo(503);
        assertThat(Greeting.status(http, "GET", "/healthz", LIMIT)).isEqualTo(503);
        assertThat(Greeting.status(http, "GET", "/", LIMIT)).isEqualTo(200);
        assertThat(Greeting.status(http, "POST", "/ready", LIMIT)).isEqualTo(200);
        assertThat(Greeting.status(http, "POST", "/ready", LIMIT)).isEqualTo(200);
        assertThat(Greeting.status(http, "GET", "/readyz", LIMIT)).isEqualTo(200);
        assertThat(changes).hasValue(2);
    }

    @Test
    void podAnswersWhateverItIsAsked() {
        assertThat(Greeting.status(http, "GET", "/cart?item=1", LIMIT)).isEqualTo(200);
        assertThat(Greeting.status(http, "GET", "/unready", LIMIT)).isEqualTo(200);
        assertThat(Greeting.status(http, "GET", "/readyz", LIMIT)).isEqualTo(200);
    }

    @Test
    void tellsRefusedSilentAndBrokenApart() throws IOException {
        assertThat(Greeting.ask(loopback(HeldPorts.next()), LIMIT).outcome()).isEqualTo(Greeting.Outcome.REFUSED);
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(Greeting.ask(loopback(silent.getLocalPort()), SHORT).outcome())
                    .isEqualTo(Greeting.Outcome.TIMED_OUT);
        }
        assertThat(Greeting.ask(bulk, SHORT).outcome()).isNotEqualTo(Greeting.Outcome.ANSWERED);
    }

    @Test
    void aServerTakesNoMoreConnectionsThanItsLimit() throws IOException {
        InetSocketAddress limited = loopback(HeldPorts.next());
        try (PodServer two = new PodServer(
                "web-2", "/healthz", new FakeLinuxNet().current(), LOOPS, new ConnectionLimit(2), () -> {})) {
            two.listenHttp(limited.getPort());
            try (Socket first = new Socket(limited.getAddress(), limited.getPort());
                    Socket second = new Socket(limited.getAddress(), limited.getPort());
                    Socket third = new Socket(limited.getAddress(), limited.getPort())) {
                assertThat(third.getInputStream().read()).isEqualTo(-1);
                assertThat(first.isConnected() && second.isConnected()).isTrue();
            }
            Eventually.isTrue(
                    Duration.ofMinutes(5),
                    () -> "room again",
                    () -> Greeting.ask(limited, LIMIT).outcome() == Greeting.Outcome.ANSWERED);
        }
    }

    @Test
    void loadCountsEveryRequestOfBothKinds() throws IOException {
        for (boolean keepAlive : new boolean[] {true, false}) {
            HttpLoad.Result result = new HttpLoad(List.of(http), 8, keepAlive).run(SHORT);

            assertThat(result.requests()).isPositive();
            assertThat(result.errors()).isZero();
            assertThat(result.latency().getTotalCount()).isEqualTo(result.requests());
            assertThat(result.latencyMicros(99)).isGreaterThanOrEqualTo(result.latencyMicros(50));
            assertThat(result.elapsed()).isGreaterThanOrEqualTo(SHORT);
        }
    }

    @Test
    void loadCountsRefusedConnectionsAsErrorsAndEnds() throws IOException {
        HttpLoad.Result result = new HttpLoad(List.of(loopback(HeldPorts.next())), 2, true).run(SHORT);

        assertThat(result.requests()).isZero();
        assertThat(result.errors()).isPositive();
    }

    @Test
    void loadCountsRequestsThatHangAsErrors() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            HttpLoad.Result result = new HttpLoad(List.of(loopback(silent.getLocalPort())), 3, true).run(SHORT);

            assertThat(result.requests()).isZero();
            assertThat(result.errors()).isEqualTo(3);
            assertThat(result.firstError()).isEqualTo("no answer");
        }
    }

    @Test
    void bulkCountsWhatTheSinkTook() throws IOException {
        BulkLoad.Result result = BulkLoad.run(bulk, SHORT);

        assertThat(result.bytes()).isPositive();
        assertThat(result.gigabitsPerSecond()).isPositive();
    }

    @Test
    void bulkFailsIfTheOtherSideCountsOtherwise() throws Exception {
        try (ServerSocket liar = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answer = new Thread(() -> lie(liar));
            answer.start();
            assertThatThrownBy(() -> BulkLoad.run(loopback(liar.getLocalPort()), SHORT))
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching("bulk sink got \\d+ bytes \\(expected: \\d+\\)");
            answer.join();
        }
    }

    private static void lie(ServerSocket liar) {
        try (Socket socket = liar.accept()) {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            socket.getOutputStream().write("12345678".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
