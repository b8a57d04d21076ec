package dev.nodepath.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpServerTest {
    private final HttpServer server = new HttpServer();
    private final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());

    HttpServerTest() throws IOException {}

    @AfterEach
    void close() {
        server.close();
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private String exchange(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Closeable serve() throws IOException {
        return server.listen(
                address,
                request -> HttpResponse.json(200, "{\"path\":\"" + request.path() + "\"}")
                        .with("X-A", "1"));
    }

    @Test
    void answersAndEndsTheConnection() throws IOException {
        serve();
        assertThat(exchange("GET /healthz?a=b HTTP/1.1\r\nHost: x\r\n\r\n"))
                .isEqualTo("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                        + "X-A: 1\r\nContent-Length: 19\r\nConnection: close\r\n\r\n{\"path\":\"/healthz\"}");
        assertThat(exchange("HEAD /a HTTP/1.0\r\n\r\n")).endsWith("Content-Length: 13\r\nConnection: close\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource({
        "POST / HTTP/1.1, 405",
        "GET / SPDY/3, 400",
        "GET http://x/ HTTP/1.1, 400",
        "hello, 400",
    })
    void refusesWhatIsNoRequest(String line, int status) throws IOException {
        serve();
        assertThat(exchange(line + "\r\n\r\n")).startsWith("HTTP/1.1 " + status + " ");
    }

    @Test
    void refusesARequestThatDoesNotEnd() throws IOException {
        serve();
        assertThat(exchange("GET / HTTP/1.1\r\nX: " + "a".repeat(HttpConnection.HEAD_MAX_BYTES - 19)))
                .startsWith("HTTP/1.1 431 ");
    }

    @Test
    void aHandlerThatFailsIsA500() throws IOException {
        server.listen(address, request -> {
            throw new IOException("no tables");
        });
        assertThat(exchange("GET / HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 500 ")
                .endsWith("failed: no tables\n");
    }

    /** More of them than workers, and than the JDK's server would have. */
    @Test
    void slowClientsHoldNobodyUp() throws IOException {
        HttpServer hasty = new HttpServer(Duration.ofSeconds(1));
        hasty.listen(address, request -> HttpResponse.text(200, "ok"));
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                Socket socket = connect();
                socket.getOutputStream().write("GET / HT".getBytes(StandardCharsets.ISO_8859_1));
                slow.add(socket);
            }
            assertThat(exchange("GET /a HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 200 ");
            slow.get(0).getOutputStream().write("TP/1.1\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(new String(slow.get(0).getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 ");
            assertThat(slow.get(1).getInputStream().read()).as("sent away").isNegative();
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
            hasty.close();
        }
    }

    @Test
    void manyPortsShareOneThread() throws IOException {
        for (int i = 0; i < 20; i++) {
            server.listen(
                    new InetSocketAddress(address.getAddress(), freePort()), request -> HttpResponse.text(200, "ok"));
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().toLowerCase(Locale.ROOT).startsWith("http"))
                .filteredOn(Thread::isAlive)
                .hasSizeLessThan(20);
    }

    @Test
    void aClosedPortIsFreeAgain() throws Exception {
        Closeable port = serve();
        assertThatThrownBy(this::serve).isInstanceOf(BindException.class);
        port.close();
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (true) {
            try {
                serve();
                break;
            } catch (BindException e) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.onSpinWait();
            }
        }
        assertThat(exchange("GET /a HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 200 ");
    }
}
