package dev.nodepath.agent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.HeldPorts;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpPortsTest {
    private final HttpPorts http = new HttpPorts();
    private final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), HeldPorts.next());
    private final List<Closeable> open = new ArrayList<>();

    HttpPortsTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        for (Closeable port : open) {
            port.close();
        }
        http.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private String exchange(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write((request + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Closeable serve(PathHandler handler) throws IOException {
        Closeable port = http.listen(address, handler);
        open.add(port);
        return port;
    }

    @Test
    void answersToThePath() throws IOException {
        serve(path -> HttpResponse.json(200, "{\"path\":\"" + path + "\"}").with("X-A", "1"));
        assertThat(exchange("GET /healthz?a=b HTTP/1.1\r\nHost: x"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .containsIgnoringCase("\r\nContent-Type: application/json\r\n")
                .containsIgnoringCase("\r\nX-Content-Type-Options: nosniff\r\n")
                .containsIgnoringCase("\r\nContent-Length: 19\r\n")
                .containsIgnoringCase("\r\nX-A: 1\r\n")
                .endsWith("\r\n\r\n{\"path\":\"/healthz\"}");
    }

    @Test
    void aHeadHasNoBody() throws IOException {
        serve(path -> HttpResponse.text(503, "late"));
        assertThat(exchange("HEAD /a HTTP/1.1\r\nHost: x"))
                .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
                .containsIgnoringCase("\r\nContent-Length: 4\r\n")
                .endsWith("\r\n\r\n");
    }

    @Test
    void refusesWhatIsNoRequest() throws IOException {
        serve(path -> HttpResponse.text(200, "ok"));
        assertThat(exchange("hello")).startsWith("HTTP/1.1 400 ");
    }

    /** The JDK's server takes some requests that proxies read otherwise. Nothing is hidden behind them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /a HTTP/1.1~Host: h~~",
                "GET /a HTTP/3.7~Host: h~~",
                "GET /a HTTP/1.1~Host: h~Host: i~~",
                "GET /a HTTP/1.1~Host: h~a: b~ c: d~~",
                "GET /a/../b HTTP/1.1~Host: h~~",
                "GET /%zz HTTP/1.1~Host: h~~",
                "POST /a HTTP/1.1~Host: h~Content-Length: 2~~{}",
                "POST /a HTTP/1.1~Host: h~Content-Length: +2~~{}",
                "POST /a HTTP/1.1~Host: h~Content-Length: 2~Content-Length: 40~~{}",
                "POST /a HTTP/1.1~Host: h~Content-Length: 2~Transfer-Encoding: chunked~~0~~",
                "POST /a HTTP/1.1~Host: h~Transfer-Encoding: chunked~~zz~{}~0~~"
            })
    void aConnectionIsForOneRequest(String request) throws IOException {
        serve(path -> HttpResponse.text(200, "ok"));
        try (Socket socket = connect()) {
            String sent = (request + "GET /next HTTP/1.1~Host: h~~").replace("~", "\r\n");
            socket.getOutputStream().write(sent.getBytes(StandardCharsets.ISO_8859_1));

            StringBuilder answer = new StringBuilder();
            for (int octet = read(socket); octet >= 0; octet = read(socket)) {
                answer.append((char) octet);
            }
            assertThat(answer.toString()).startsWith("HTTP/1.1 ").containsOnlyOnce("HTTP/1.1 ");
        }
    }

    /** The connection may be reset, because not all of it was read. */
    private static int read(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read();
        } catch (SocketException e) {
            return -1;
        }
    }

    @Test
    void aHandlerThatFailsIsA500() throws IOException {
        serve(path -> {
            throw new IOException("no tables");
        });
        assertThat(exchange("GET / HTTP/1.1\r\nHost: x"))
                .startsWith("HTTP/1.1 500 ")
                .endsWith("failed: no tables\n");
    }

    @Test
    void slowClientsAreSentAwayAndHoldNobodyUp() throws IOException {
        serve(path -> HttpResponse.text(200, "ok"));
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < HttpPorts.WORKERS_MAX / 2; i++) {
                Socket socket = connect();
                socket.getOutputStream().write("GET / HT".getBytes(StandardCharsets.ISO_8859_1));
                slow.add(socket);
            }
            assertThat(exchange("GET /a HTTP/1.1\r\nHost: x")).startsWith("HTTP/1.1 200 ");
            assertThat(slow.get(1).getInputStream().read()).as("sent away").isNegative();
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void servesAgainOnceTooManyClientsHaveGone() throws IOException {
        serve(path -> HttpResponse.text(200, "ok"));
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < HttpPorts.WORKERS_MAX * 2; i++) {
            Socket socket = connect();
            socket.getOutputStream().write("GET / HT".getBytes(StandardCharsets.ISO_8859_1));
            slow.add(socket);
        }
        for (Socket socket : slow) {
            socket.close();
        }
        Eventually.isTrue("it answers", this::answers);
    }

    private boolean answers() {
        try {
            return exchange("GET /a HTTP/1.1\r\nHost: x").startsWith("HTTP/1.1 200 ");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aClosedPortIsFreeAgain() throws Exception {
        Closeable port = serve(path -> HttpResponse.text(200, "ok"));
        assertThatThrownBy(() -> serve(path -> HttpResponse.text(200, "ok"))).isInstanceOf(BindException.class);
        port.close();
        serve(path -> HttpResponse.text(200, "again"));
        assertThat(exchange("GET /a HTTP/1.1\r\nHost: x")).endsWith("again");
    }
}
