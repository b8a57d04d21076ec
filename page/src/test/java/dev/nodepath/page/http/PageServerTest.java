package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.nodepath.linux.Eventually;
import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions.RefusedException;
import dev.nodepath.page.SamplePicture;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageServerTest {
    private static final String SECRET = "5ecret";

    private final LivePage page = new LivePage(InstantSource.system());
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Socket> sockets = new ArrayList<>();
    private final PageServer server =
            new PageServer(page, PageServerTest::act, this::flows, new PageToken(SECRET), HttpServerCodec::new);
    private InetSocketAddress address = new InetSocketAddress(0);

    private final AtomicInteger flowReads = new AtomicInteger();
    private boolean flowsFail;

    private FlowList flows() throws IOException {
        if (flowsFail) {
            throw new IOException("no such namespace");
        }
        return new FlowList(flowReads.incrementAndGet(), 7, List.of(SamplePicture.flow("n1-1", "web-1", "ready")));
    }

    private static JsonNode act(String name, JsonNode what) throws RefusedException {
        if (!name.equals("echo")) {
            throw new RefusedException(404, "/api/" + name + ": no such action (expected: echo)");
        }
        if (what.has("error")) {
            throw new StackOverflowError("a test");
        }
        if (what.has("broken")) {
            throw new IllegalStateException("broken");
        }
        return JsonNodeFactory.instance.objectNode().set("said", what);
    }

    @BeforeEach
    void start() throws IOException {
        page.show(SamplePicture.small());
        address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    @Test
    void servesThePageWithAPolicyThatLoadsNothing() throws Exception {
        HttpResponse<String> answer = send(get("/"));

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-security-policy").orElse(""))
                .startsWith("default-src 'none'");
        assertThat(answer.headers().firstValue("x-content-type-options")).contains("nosniff");
        assertThat(answer.body()).startsWith("<!doctype html>");
    }

    @Test
    void answersTheState() throws Exception {
        assertThat(send(get("/api/state")).body())
                .contains(
                        "\"mode\":\"iptables\"",
                        "\"version\":" + page.snapshot().version());
    }

    @Test
    void readersWhoAskTogetherGetTheSameFlows() throws Exception {
        String first = send(get("/api/flows")).body();

        assertThat(first).contains("\"total\":7", "\"id\":\"n1-1\"", "\"from\":{\"name\":\"client-1\"");
        Eventually.isTrue("the same for two", () -> {
            String one = send(get("/api/flows")).body();
            return send(get("/api/flows")).body().equals(one);
        });
        Eventually.isTrue("newer ones", () -> send(get("/api/flows")).body().contains("\"at\":2"));
    }

    @Test
    void saysWhyFlowsCannotBeRead() throws Exception {
        flowsFail = true;

        HttpResponse<String> answer = send(get("/api/flows"));

        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).isEqualTo("{\"error\":\"the flows cannot be read: no such namespace\"}");
    }

    @Test
    void actsWithTheTokenAlone() throws Exception {
        assertThat(send(post("/api/echo", "{\"a\":1}")).body()).isEqualTo("{\"said\":{\"a\":1}}");
        assertThat(send(withToken(post("/api/echo", "{}"), "wrong")).statusCode())
                .isEqualTo(401);
    }

    @Test
    void refusesInOneSentence() throws Exception {
        assertThat(send(post("/api/nothing", "{}")).body())
                .isEqualTo("{\"error\":\"/api/nothing: no such action (expected: echo)\"}");
        assertThat(send(post("/api/echo", "[1]")).statusCode()).isEqualTo(400);
        assertThat(send(post("/api/echo", "{")).body()).contains("the body is no JSON");
        assertThat(send(post("/api/echo", "{\"broken\":1}")).statusCode()).isEqualTo(500);
        assertThat(send(post("/api/echo", "{\"error\":1}")).statusCode()).isEqualTo(500);
        assertThat(send(get("/etc/passwd")).statusCode()).isEqualTo(404);
        assertThat(send(post("/", "{}")).statusCode()).isEqualTo(405);
        assertThat(send(post("/api/echo", "\"" + "x".repeat(20_000) + "\"")).statusCode())
                .isEqualTo(413);
    }

    @Test
    void takesNoFormOfAnotherPage() throws Exception {
        HttpRequest form = HttpRequest.newBuilder(uri("/api/echo"))
                .header("content-type", "text/plain")
                .header("authorization", "Bearer " + SECRET)
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();

        assertThat(send(form).statusCode()).isEqualTo(415);
    }

    @Test
    void answersPipelinedReadsInTheirOrderAndNothingBehindAnAction() throws Exception {
        String read = "GET /%s HTTP/1.1\r\n" + host() + bearer() + "\r\n";
        String answers = raw(read.formatted("nowhere") + read.formatted("api/state"));
        assertThat(answers).containsSubsequence("HTTP/1.1 404", "HTTP/1.1 200", "\"mode\":\"iptables\"");

        String action = "POST /api/echo HTTP/1.1\r\n" + host() + bearer()
                + "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        assertThat(raw(action + action)).doesNotContainPattern("(?s)HTTP/1.1 200.*HTTP/1.1 200");
    }

    @Test
    void opensNoStreamForAHead() throws Exception {
        String head = "HEAD /api/events HTTP/1.1\r\n" + host() + bearer() + "connection: close\r\n\r\n";
        assertThat(raw(head)).startsWith("HTTP/1.1 405").endsWith("\r\n\r\n");
    }

    @Test
    void changesAfterItsEndHarmNobody() {
        server.close();

        page.show(SamplePicture.small());
        page.tell("step", JsonNodeFactory.instance.objectNode());

        assertThat(page.snapshot().version()).isPositive();
    }

    /** The answer until the server falls silent, or closes. */
    private String raw(String requests) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        sockets.add(socket);
        socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
        socket.shutdownOutput();
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void startsAStreamWithTheWholeStateAndGoesOnWithParts() throws Exception {
        BufferedReader stream = stream("");
        assertThat(event(stream)).contains("event: state");

        page.tell("step", JsonNodeFactory.instance.objectNode().put("what", "one"));

        assertThat(event(stream)).contains("event: step", "\"what\":\"one\"");
    }

    @Test
    void goesOnWhereAReaderStopped() throws Exception {
        long known = page.snapshot().version();
        page.tell("step", JsonNodeFactory.instance.objectNode().put("what", "missed"));

        BufferedReader stream = stream("Last-Event-ID: " + known + "\r\n");

        assertThat(event(stream)).contains("id: " + (known + 1), "\"what\":\"missed\"");
    }

    @Test
    void sendsTheWholeStateToAReaderOfAnotherCluster() throws Exception {
        assertThat(event(stream("Last-Event-ID: 17\r\n"))).contains("event: state");
        assertThat(event(stream("Last-Event-ID: x\r\n"))).contains("event: state");
    }

    /** One reader reads nothing during many events. The other readers miss nothing, and the cost does not grow. */
    @Test
    void isNotHeldUpByAReaderThatTakesNothing() throws Exception {
        stream("");
        BufferedReader quick = stream("");
        event(quick);
        String filling = "x".repeat(2000);
        for (int i = 0; i < 5000; i++) {
            page.tell("step", JsonNodeFactory.instance.objectNode().put("n", i).put("filling", filling));
            if (i % 50 == 49) {
                awaitNumber(quick, i);
            }
        }
    }

    private static void awaitNumber(BufferedReader stream, int number) throws IOException {
        while (!event(stream).contains("\"n\":" + number + ",")) {
            // An earlier one.
        }
    }

    @Test
    void thousandsOfConnectionsWithoutTheTokenLockNobodyOut() throws Exception {
        for (int i = 0; i < 5_000; i++) {
            connect("");
        }

        assertThat(send(get("/api/state")).statusCode()).isEqualTo(200);
        assertThat(isClosed(sockets.get(0))).isTrue();
        assertThat(event(stream(""))).contains("event: state");
    }

    @Test
    void readersWithoutTheTokenLockNobodyOut() throws Exception {
        for (int i = 0; i < 300; i++) {
            connect("GET /api/events HTTP/1.1\r\n" + host() + "\r\n");
        }

        assertThat(send(get("/api/state")).statusCode()).isEqualTo(200);
        String answer = new String(sockets.get(299).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(answer).startsWith("HTTP/1.1 401 ").doesNotContain("event:");
    }

    @Test
    void sendsAwayWhoShowsNoTokenForLong() throws Exception {
        Socket half = connect("GET /api/state HTTP/1.1\r\n" + host());

        assertThat(isClosed(half)).isTrue();
    }

    @Test
    void plainRequestsHaveRoomWhileAllStreamsOfAReaderAreTaken() throws Exception {
        for (int i = 0; i < PageHandler.STREAMS_OF_ONE_MAX; i++) {
            assertThat(event(stream(""))).contains("event: state");
        }

        HttpResponse<String> another = send(get("/api/events"));
        assertThat(another.statusCode()).isEqualTo(503);
        assertThat(another.body()).contains("64 of them from 127.0.0.1 (expected: fewer than 128, and than 64");
        assertThat(send(get("/api/state")).statusCode()).isEqualTo(200);
        sockets.get(0).close();
        Eventually.isTrue("a place", () -> {
            BufferedReader next = stream("");
            return next.readLine().contains("200");
        });
    }

    @Test
    void quietConnectionsGiveWayToNewOnes() throws Exception {
        for (int i = 0; i < 2 * Connections.PLAIN_MAX; i++) {
            Socket socket = connect("HEAD /api/state HTTP/1.1\r\n" + host() + bearer() + "\r\n");
            assertThat(socket.getInputStream().readNBytes(12)).endsWith('2', '0', '0');
        }

        sockets.get(0).getInputStream().skip(10_000);
        assertThat(isClosed(sockets.get(0))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/favicon.ico",
                "/?token=wrong",
                "/api/state",
                "/api/events",
                "/api/record",
                "/api/flows",
                "/api/lessons",
                "/api/state?token=5ecret",
                "/%61pi/state",
                "//api/state",
                "/./api/state",
                "/api/nowhere"
            })
    void showsNothingWithoutTheToken(String path) throws Exception {
        String answer = raw("GET " + path + " HTTP/1.1\r\n" + host() + "\r\nGET / HTTP/1.1\r\n" + host() + "\r\n");

        assertThat(answer)
                .startsWith("HTTP/1.1 401 ")
                .containsIgnoringCase("\r\nwww-authenticate: Bearer\r\n")
                .containsIgnoringCase("\r\nconnection: close\r\n")
                .contains("nodepath page")
                .doesNotContain("iptables", "client-1", "<script", SECRET)
                .containsOnlyOnce("HTTP/1.1");
    }

    @Test
    void thePrintedAddressGivesACookieAndTheAddressWithoutTheToken() throws Exception {
        HttpResponse<String> answer =
                send(HttpRequest.newBuilder(uri("/?token=" + SECRET)).build());

        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.headers().firstValue("location")).contains("/");
        assertThat(answer.headers().firstValue("referrer-policy")).contains("no-referrer");
        String cookie = answer.headers().firstValue("set-cookie").orElseThrow();
        assertThat(cookie)
                .isEqualTo("nodepath-" + address.getPort() + "=" + SECRET + "; Path=/; HttpOnly; SameSite=Strict");
        HttpRequest page = HttpRequest.newBuilder(uri("/"))
                .header("cookie", cookie.substring(0, cookie.indexOf(';')))
                .build();
        assertThat(send(page).body()).contains("<script>");
    }

    /** Each is answered once, and octets behind it in the connection are not read as a request. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            an address of 9000 octets    | 414 | GET /LONG HTTP/1.1~HOST~
            a header of 9000 octets      | 431 | GET / HTTP/1.1~HOSTa: LONG~~
            an unfinished escape         | 400 | GET /%6 HTTP/1.1~HOST~
            an escape of no hexadecimal  | 400 | GET /%zz HTTP/1.1~HOST~
            two lengths                  | 400 | POST /api/echo HTTP/1.1~HOSTcontent-length: 3~content-length: 4~~{}
            a chunk of no length         | 400 | POST /api/echo HTTP/1.1~HOSTtransfer-encoding: chunked~~zz~{}~0~~
            """)
    void answersOnceToARefusedRequestAndCloses(String what, int status, String request) throws Exception {
        String sent = request.replace("~", "\r\n")
                .replace("HOST", host() + bearer())
                .replace("LONG", "x".repeat(9_000))
                .replace("NUL", "\0");
        String answer = raw(sent + "GET /api/state HTTP/1.1\r\n" + host() + bearer() + "\r\n");

        assertThat(answer).as(what).startsWith("HTTP/1.1 " + status + " ").containsOnlyOnce("HTTP/1.1");
    }

    private String host() {
        return "host: 127.0.0.1:" + address.getPort() + "\r\n";
    }

    private static String bearer() {
        return "authorization: Bearer " + SECRET + "\r\n";
    }

    /** A connection that has sent this, and stays. */
    private Socket connect(String sent) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(60_000);
        sockets.add(socket);
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private static boolean isClosed(Socket socket) throws IOException {
        socket.setSoTimeout(60_000);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + address.getPort() + path);
    }

    private HttpRequest get(String path) {
        return withToken(HttpRequest.newBuilder(uri(path)).build(), SECRET);
    }

    private HttpRequest post(String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return withToken(request, SECRET);
    }

    private static HttpRequest withToken(HttpRequest request, String token) {
        return HttpRequest.newBuilder(request, (name, value) -> !name.equals("authorization"))
                .header("authorization", "Bearer " + token)
                .build();
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Opens a stream of events; all lines up to its first event are read. */
    private BufferedReader stream(String header) throws IOException {
        Socket socket = connect("GET /api/events HTTP/1.1\r\n" + host() + bearer() + header + "\r\n");
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The next event, with the lines of its chunk. */
    private static String event(BufferedReader stream) throws IOException {
        StringBuilder event = new StringBuilder();
        for (String line = stream.readLine(); line != null; line = stream.readLine()) {
            if (line.startsWith("id: ") || event.length() > 0) {
                event.append(line).append('\n');
            }
            if (line.startsWith("data: ")) {
                return event.toString();
            }
        }
        throw new IOException("the stream ended");
    }
}
