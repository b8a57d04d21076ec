package dev.nodepath.emulator.page;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.http.PageServer;
import dev.nodepath.page.http.PageToken;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page as it is served: nothing behind a refused request is read as a request. */
class PageFramingTest {
    private final PageToken token = PageToken.random();
    private final PageServer server = new PageServer(
            new LivePage(InstantSource.system()),
            (name, what) -> JsonNodeFactory.instance.objectNode(),
            () -> new FlowList(1, 0, List.of()),
            token,
            new PageFraming());
    private InetSocketAddress address = new InetSocketAddress(0);

    @BeforeEach
    void start() throws IOException {
        address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a long address              | 414 | GET /LONG HTTP/1.1~HOST~
            a long header               | 431 | GET / HTTP/1.1~HOSTa: LONG~~
            an unfinished escape        | 400 | GET /%6 HTTP/1.1~HOST~
            dots that lead elsewhere    | 404 | GET /api/../api/state HTTP/1.1~HOSTConnection: close~~
            two lengths                 | 400 | POST /api/echo HTTP/1.1~HOSTcontent-length: 3~content-length: 4~~{}
            a length with a sign        | 400 | POST /api/echo HTTP/1.1~HOSTcontent-length: +2~~{}
            a length and chunks         | 400 | POST /api/echo HTTP/1.1~HOSTcontent-length: 2~transfer-encoding: chunked~~0~~
            a chunk of no length        | 400 | POST /api/echo HTTP/1.1~HOSTtransfer-encoding: chunked~~zz~{}~0~~
            an encoding that is unknown | 400 | POST /api/echo HTTP/1.1~HOSTtransfer-encoding: xchunked~~0~~
            a folded header             | 400 | GET / HTTP/1.1~HOSTa: b~ c~~
            a NUL in a header           | 400 | GET / HTTP/1.1~HOSTa: NUL~~
            a space before a colon      | 400 | GET / HTTP/1.1~HOSTa : b~~
            another version             | 400 | GET / HTTP/3.7~HOST~
            two hosts                   | 400 | GET / HTTP/1.1~HOSTHOST~
            """)
    void answersOnceToARefusedRequestAndCloses(String what, int status, String request) throws IOException {
        String host = "host: 127.0.0.1:" + address.getPort() + "\r\nauthorization: Bearer " + token.value() + "\r\n";
        String sent = (request + "GET /api/state HTTP/1.1~HOST~")
                .replace("~", "\r\n")
                .replace("HOST", host)
                .replace("LONG", "x".repeat(70_000))
                .replace("NUL", "\0");
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(sent.getBytes(ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);

            assertThat(answer).as(what).startsWith("HTTP/1.1 " + status + " ").containsOnlyOnce("content-length: ");
        }
    }
}
