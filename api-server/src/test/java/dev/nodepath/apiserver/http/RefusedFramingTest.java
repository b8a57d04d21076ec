package dev.nodepath.apiserver.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.stream.PodStreams;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A request that two programs may read differently is answered once, and octets behind it are not read as a request.
 */
class RefusedFramingTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final int MEGABYTE = 1024 * 1024;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3}) ");

    private TestCluster cluster;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.withRules(PodStreams.NONE);
        address = cluster.listenInPlain();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            two lengths                     | 400 | POST MAPS HTTP/1.1~HOSTContent-Length: 3~Content-Length: 40~~{}
            the same length twice           | 400 | POST MAPS HTTP/1.1~HOSTContent-Length: 2~Content-Length: 2~~{}
            a list of lengths               | 400 | POST MAPS HTTP/1.1~HOSTContent-Length: 2, 2~~{}
            a length with a sign            | 400 | POST MAPS HTTP/1.1~HOSTContent-Length: +2~~{}
            a negative length               | 400 | POST MAPS HTTP/1.1~HOSTContent-Length: -1~~{}
            a hexadecimal length            | 400 | POST MAPS HTTP/1.1~HOSTContent-Length: 0x2~~{}
            a length that is too large      | 400 | POST MAPS HTTP/1.1~HOSTContent-Length: 99999999999999999999~~{}
            no length                       | 400 | POST MAPS HTTP/1.1~HOSTContent-Length:~~{}
            a length and chunks             | 400 | POST MAPS HTTP/1.1~HOSTContent-Length: 4~Transfer-Encoding: chunked~~2~{}~0~~
            chunks and a length             | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~Content-Length: 4~~2~{}~0~~
            an encoding twice               | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~Transfer-Encoding: chunked~~0~~
            an unknown encoding             | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: xchunked~~0~~
            two encodings                   | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: gzip, chunked~~0~~
            an encoding in quotes           | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: 'chunked'~~0~~
            chunks by HTTP/1.0              | 400 | POST MAPS HTTP/1.0~HOSTTransfer-Encoding: chunked~~0~~
            a chunk of no length            | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~~zz~{}~0~~
            a chunk of negative length      | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~~-2~{}~0~~
            a chunk length with a sign      | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~~+2~{}~0~~
            a chunk length with 0x          | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~~0x2~{}~0~~
            a chunk length that overflows   | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~~100000000000000002~{}~0~~
            a chunk longer than its length  | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~~1~{}~0~~
            an empty chunk length           | 400 | POST MAPS HTTP/1.1~HOSTTransfer-Encoding: chunked~~~{}~0~~
            a folded header                 | 400 | GET MAPS HTTP/1.1~HOSTa: b~ c: d~~
            a folded first header           | 400 | GET MAPS HTTP/1.1~ a: b~HOST~
            a folded length                 | 400 | POST MAPS HTTP/1.1~HOSTContent-Length:~ 2~~{}
            a space before the colon        | 400 | POST MAPS HTTP/1.1~HOSTContent-Length : 2~~{}
            no colon                        | 400 | GET MAPS HTTP/1.1~HOSTa~~
            no name                         | 400 | GET MAPS HTTP/1.1~HOST: a~~
            a NUL in a value                | 400 | GET MAPS HTTP/1.1~HOSTa: NUL~~
            a NUL in a name                 | 400 | GET MAPS HTTP/1.1~HOSTaNUL: b~~
            a carriage return in a value    | 400 | GET MAPS HTTP/1.1~HOSTa: bCRc~~
            lines without carriage return   | 400 | GET MAPS HTTP/1.1~HOSTa: bLFc: d~~
            another version                 | 400 | GET MAPS HTTP/2.0~HOST~
            a version with more digits      | 400 | GET MAPS HTTP/1.10~HOST~
            a version in small letters      | 400 | GET MAPS http/1.1~HOST~
            no version                      | 400 | GET MAPS~HOST~
            two spaces                      | 400 | GET  MAPS HTTP/1.1~HOST~
            a method that is none           | 400 | G(T MAPS HTTP/1.1~HOST~
            two hosts                       | 400 | GET MAPS HTTP/1.1~HOSTHOST~
            no host                         | 400 | GET MAPS HTTP/1.1~~
            a NUL in the path               | 400 | GET /apiNUL HTTP/1.1~HOST~
            an unfinished escape            | 400 | GET /api/v1/%6 HTTP/1.1~HOST~
            an escape of no hexadecimal     | 400 | GET /api/v1/%zz HTTP/1.1~HOST~
            an escape in the query          | 400 | GET /api/v1/pods?labelSelector=%zz HTTP/1.1~HOST~
            dots in the path                | 400 | GET /api/v1/namespaces/default/../kube-system/configmaps HTTP/1.1~HOST~
            a dot in the path               | 400 | GET /api/./v1 HTTP/1.1~HOST~
            escaped dots in the path        | 400 | GET /api/v1/namespaces/%2e%2E/pods HTTP/1.1~HOST~
            a path of more than a megabyte  | 414 | GET /LONG HTTP/1.1~HOST~
            a header of a megabyte          | 431 | GET MAPS HTTP/1.1~HOSTa: LONG~~
            headers of a megabyte together  | 431 | GET /HALF HTTP/1.1~HOSTa: HALF~b: HALF~~
            no HTTP                         | 400 | hello~~
            """)
    void isAnsweredOnceAndEndsTheConnection(String what, int status, String request) throws IOException {
        String answers = exchange(read("GET /version") + request + read("GET " + MAPS));

        assertThat(STATUS.matcher(answers).results().map(found -> found.group(1)))
                .as("%s: %s", what, answers)
                .containsExactly("200", String.valueOf(status));
    }

    @Test
    void aLongLabelSelectorIsRead() throws IOException {
        String selector = "a in (b" + ",b".repeat(300_000) + ")";
        String answer = exchange(
                "GET " + MAPS + "?labelSelector=" + selector.replace(" ", "%20") + " HTTP/1.1~HOSTConnection: close~~");

        assertThat(answer).startsWith("HTTP/1.1 200 ").contains("\"kind\":\"ConfigMapList\"");
    }

    @Test
    void goodRequestsOfOneConnectionAreAllAnswered() throws IOException {
        String chunks = "POST MAPS HTTP/1.1~HOSTContent-Type: application/json~Transfer-Encoding: chunked~~"
                + "E;x=y~{\"metadata\":{\"~D~name\":\"a\"}}  ~0~Trailer: a~~";

        String answers = exchange("~~" + chunks + read("HEAD " + MAPS) + "~" + "GET MAPS/a HTTP/1.0~~");

        assertThat(STATUS.matcher(answers).results().map(found -> found.group(1)))
                .as(answers)
                .containsExactly("201", "405", "200");
    }

    private static String read(String what) {
        return what + " HTTP/1.1~HOST~";
    }

    /** All that the server says until it closes the connection. The client does not close its side. */
    private String exchange(String requests) throws IOException {
        String sent = requests.replace("~", "\r\n")
                .replace("HOST", "Host: h\r\nAuthorization: Bearer " + cluster.token.value() + "\r\n")
                .replace("HTTP/1.0\r\n\r\n", "HTTP/1.0\r\nAuthorization: Bearer " + cluster.token.value() + "\r\n\r\n")
                .replace("MAPS", MAPS)
                .replace("LONG", "x".repeat(MEGABYTE + 5000))
                .replace("HALF", "x".repeat(MEGABYTE / 2))
                .replace("NUL", "\0")
                .replace("CR", "\r")
                .replace("LF", "\n");
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(60_000);
            Thread sender = new Thread(() -> send(socket, sent));
            sender.start();
            String answers = "";
            for (int octet = socket.getInputStream().read(); octet >= 0; octet = next(socket)) {
                answers += (char) octet;
            }
            return answers;
        }
    }

    /** The connection may be reset when the server has not read all. */
    private static int next(Socket socket) {
        try {
            return socket.getInputStream().read();
        } catch (java.net.SocketException e) {
            return -1;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void send(Socket socket, String text) {
        try {
            OutputStream out = socket.getOutputStream();
            out.write(text.getBytes(ISO_8859_1));
            out.flush();
        } catch (IOException e) {
            // The server has ended it.
        }
    }
}
