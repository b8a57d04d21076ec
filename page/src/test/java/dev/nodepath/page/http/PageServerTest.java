package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.nodepath.linux.Eventually;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions.RefusedException;
import dev.nodepath.page.SamplePicture;
import dev.nodepath.page.flow.FlowList;
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
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PageServerTest {
    private final LivePage page = new LivePage(Clock.systemUTC());
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Socket> sockets = new ArrayList<>();
    private final PageServer server = new PageServer(page, PageServerTest::act, this::flows, new PageToken("5ecret"));
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
        assertThat(send(get("/api/flows")).body()).isEqualTo(first);
        assertThat(flowReads).hasValue(1);
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
        assertThat(send(get("/etc/passwd")).statusCode()).isEqualTo(404);
        assertThat(send(post("/", "{}")).statusCode()).isEqualTo(405);
        assertThat(send(post("/api/echo", "\"" + "x".repeat(20_000) + "\"")).statusCode())
                .isEqualTo(413);
    }

    @Test
    void takesNoFormOfAnotherPage() throws Exception {
        HttpRequest form = HttpRequest.newBuilder(uri("/api/echo"))
                .header("content-type", "text/plain")
                .header(RequestGuard.TOKEN, "5ecret")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();

        assertThat(send(form).statusCode()).isEqualTo(415);
    }

    @Test
    void answersPipelinedReadsInTheirOrderAndNothingBehindAnAction() throws Exception {
        String read = "GET /%s HTTP/1.1\r\nhost: " + address.getHostString() + ":" + address.getPort() + "\r\n\r\n";
        String answers = raw(read.formatted("nowhere") + read.formatted("api/state"));
        assertThat(answers).containsSubsequence("HTTP/1.1 404", "HTTP/1.1 200", "\"mode\":\"iptables\"");

        String action = "POST /api/echo HTTP/1.1\r\nhost: " + address.getHostString() + ":" + address.getPort()
                + "\r\ncontent-type: application/json\r\n" + RequestGuard.TOKEN
                + ": 5ecret\r\ncontent-length: 2\r\n\r\n{}";
        assertThat(raw(action + action)).doesNotContainPattern("(?s)HTTP/1.1 200.*HTTP/1.1 200");
    }

    @Test
    void opensNoStreamForAHead() throws Exception {
        String head = "HEAD /api/events HTTP/1.1\r\nhost: " + address.getHostString() + ":" + address.getPort()
                + "\r\nconnection: close\r\n\r\n";
        assertThat(raw(head)).startsWith("HTTP/1.1 405").endsWith("\r\n\r\n");
    }

    @Test
    void changesAfterItsEndHarmNobody() {
        server.close();

        page.show(SamplePicture.small());
        page.tell("step", JsonNodeFactory.instance.objectNode());

        assertThat(page.snapshot().version()).isPositive();
    }

    /** What comes back until the server has nothing more to say, or closes. */
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

    /** One reader takes nothing while much is told. The others miss nothing, and what it costs does not grow. */
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
    void closesConnectionsBeyondItsLimitAndServesAgainWhenTheyAreGone() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            sockets.add(new Socket(address.getAddress(), address.getPort()));
        }
        assertThat(isClosed(sockets.get(sockets.size() - 1))).isTrue();
        for (Socket socket : sockets) {
            socket.close();
        }
        Eventually.isTrue("an answer", () -> {
            try {
                return send(get("/api/state")).statusCode() == 200;
            } catch (IOException e) {
                return false;
            }
        });
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
        return HttpRequest.newBuilder(uri(path)).build();
    }

    private HttpRequest post(String path, String body) {
        return HttpRequest.newBuilder(uri(path))
                .header("content-type", "application/json")
                .header(RequestGuard.TOKEN, "5ecret")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private static HttpRequest withToken(HttpRequest request, String token) {
        return HttpRequest.newBuilder(request, (name, value) -> !name.equals(RequestGuard.TOKEN))
                .header(RequestGuard.TOKEN, token)
                .build();
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Opens a stream of events; all lines up to its first event are read. */
    private BufferedReader stream(String header) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(60_000);
        sockets.add(socket);
        String request = "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:" + address.getPort() + "\r\n" + header + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
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
