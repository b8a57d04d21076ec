package dev.nodepath.apiserver.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.linux.Repetitions;
import io.netty.util.ResourceLeakDetector;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Damaged requests on connections of their own: each gets an answer that is no fault of the server, or its connection
 * ends. {@code -Dnodepath.connections=100000} sends so many.
 */
@Timeout(900)
class MutatedConnectionsTest {
    private static final int CONNECTIONS = Integer.getInteger("nodepath.connections", Repetitions.of(1_000, 5_000));
    private static final long SEED = Long.getLong("nodepath.seed", System.nanoTime());
    private static final int CLIENTS = 24;
    private static final int HELD = 100;
    /** A client without an answer until then has not sent a complete request. */
    private static final int ANSWER_MILLIS = 250;

    private static final int END_MILLIS = 20_000;
    private static final String HEAD = " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer TOKEN\r\n";
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String BODY =
            "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}},\"data\":{\"k\":\"v\"}}";

    private static final List<String> REQUESTS = List.of(
            "GET /api/v1/pods?labelSelector=app%20in%20(a,b),!c&limit=2" + HEAD + "\r\n",
            "GET /api/v1/services?fieldSelector=metadata.name%3Dkubernetes" + HEAD + "Accept: application/json\r\n\r\n",
            "GET /api/v1/services?watch=1&timeoutSeconds=1&allowWatchBookmarks=true" + HEAD + "\r\n",
            "GET /openapi/v3" + HEAD + "Accept-Encoding: gzip\r\n\r\n",
            "POST " + MAPS + HEAD + sized("application/json", BODY),
            "POST " + MAPS + HEAD + "Expect: 100-continue\r\n" + sized("application/yaml", "metadata: {name: b}"),
            "POST " + MAPS + HEAD + "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"m\r\n5;x=y\r\n\":{}}\r\n0\r\n\r\n",
            "PUT " + MAPS + "/a" + HEAD + sized("application/json", BODY),
            "PATCH " + MAPS + "/a" + HEAD
                    + sized("application/json-patch+json", "[{\"op\":\"add\",\"path\":\"/data/z\",\"value\":\"1\"}]"),
            "PATCH " + MAPS + "/a" + HEAD + sized("application/strategic-merge-patch+json", BODY),
            "PATCH " + MAPS + "/a?fieldManager=m&force=1" + HEAD + sized("application/apply-patch+yaml", BODY),
            "DELETE " + MAPS + "/a" + HEAD + sized("application/json", "{\"gracePeriodSeconds\":0}"),
            "POST /api/v1/namespaces/default/pods/p/exec?command=ls" + HEAD
                    + "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n",
            "GET /" + "x".repeat(9000) + HEAD + "\r\n",
            "GET /version HTTP/1.1\r\nHost: h\r\nX: " + "y".repeat(20_000) + "\r\n\r\n",
            "POST " + MAPS + HEAD + "Content-Length: 99999999999\r\n\r\n{",
            "POST " + MAPS + HEAD + "Content-Length: -1\r\n\r\n{}");

    private final Queue<String> leaks = new ConcurrentLinkedQueue<>();
    private final Handler reports = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (String.valueOf(entry.getMessage()).contains("LEAK")) {
                leaks.add(entry.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private final Logger detector = Logger.getLogger(ResourceLeakDetector.class.getName());
    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();
    private TestCluster cluster;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws Exception {
        detector.addHandler(reports);
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        cluster = TestCluster.withRules(PodStreams.NONE);
        address = cluster.listenInPlain();
    }

    @AfterEach
    void stop() {
        cluster.close();
        ResourceLeakDetector.setLevel(level);
        detector.removeHandler(reports);
    }

    @Test
    void eachIsAnsweredOrEndsAndOthersAreServedMeanwhile() throws Exception {
        System.out.println("seed " + SEED + ", connections " + CONNECTIONS);
        assertServed("GET /version");
        int open = descriptors();
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        List<Socket> held = new ArrayList<>();
        try {
            for (int i = 0; i < HELD; i++) {
                held.add(halfSent(i));
            }
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                tasks.add(() -> damage(client, held));
            }
            for (Future<Void> each : clients.invokeAll(tasks)) {
                each.get();
            }
        } finally {
            clients.shutdownNow();
            for (Socket each : held) {
                each.close();
            }
        }
        System.out.println("answers by code " + answers);
        assertThat(answers)
                .as("seed %s", SEED)
                .containsKeys("200", "400", "413", "")
                .doesNotContainKey("500");
        assertThat(answers.getOrDefault("", 0))
                .as("seed %s: without answer", SEED)
                .isLessThan(CONNECTIONS / 2);
        awaitDescriptors(open);
        for (int i = 0; i < 5; i++) {
            System.gc();
            assertServed("GET /api/v1/services");
        }
        assertThat(leaks).as("seed %s: leaks of buffers", SEED).isEmpty();
    }

    private Void damage(int client, List<Socket> held) throws IOException {
        Random random = new Random(SEED + client);
        for (int i = client; i < CONNECTIONS; i += CLIENTS) {
            String code =
                    status(exchange(mutated(REQUESTS.get(random.nextInt(REQUESTS.size())), random), ANSWER_MILLIS));
            answers.merge(code, 1, Integer::sum);
            if (i % 50 == 0) {
                assertServed("GET /api/v1/namespaces");
            }
            if (client == 0 && i % 10 == 0) {
                drip(held.get(random.nextInt(held.size())));
            }
        }
        return null;
    }

    private void assertServed(String request) throws IOException {
        assertThat(status(exchange(request + HEAD + "\r\n", END_MILLIS)))
                .as("seed %s: %s", SEED, request)
                .isEqualTo("200");
    }

    /** The server's first answer. Without an answer the connection has to end when the client ends its side. */
    private String exchange(String request, int millis) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(millis);
            try {
                OutputStream out = socket.getOutputStream();
                out.write(request.replace("TOKEN", cluster.token.value()).getBytes(ISO_8859_1));
                out.flush();
                return read(socket);
            } catch (SocketTimeoutException e) {
                socket.setSoTimeout(END_MILLIS);
                socket.shutdownOutput();
                return read(socket);
            } catch (IOException e) {
                return ""; // reset: the server closed while it was sent
            }
        }
    }

    private static String read(Socket socket) throws IOException {
        byte[] start = new byte[12];
        int count = socket.getInputStream().readNBytes(start, 0, start.length);
        return new String(start, 0, count, ISO_8859_1);
    }

    private static String status(String answer) {
        assertThat(answer).matches("|HTTP/1\\.[01] [0-9]{3}");
        return answer.isEmpty() ? "" : answer.substring(9);
    }

    private Socket halfSent(int i) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        String request = REQUESTS.get(i % REQUESTS.size());
        socket.getOutputStream()
                .write(request.substring(0, request.length() / 2).getBytes(ISO_8859_1));
        return socket;
    }

    /** One more octet of a slow request. */
    private static void drip(Socket socket) {
        try {
            socket.getOutputStream().write('x');
        } catch (IOException e) {
            // The server has ended it.
        }
    }

    private static String mutated(String request, Random random) {
        if (random.nextInt(200) == 0) {
            return "POST " + MAPS + HEAD + sized("application/json", "[".repeat(4 * 1024 * 1024));
        }
        StringBuilder text = new StringBuilder(request);
        for (int i = random.nextInt(4); i > 0 && text.length() > 0; i--) {
            int at = random.nextInt(text.length());
            int to = Math.min(text.length(), at + 1 + random.nextInt(8));
            switch (random.nextInt(5)) {
                case 0 -> text.setLength(at);
                case 1 -> text.delete(at, to);
                case 2 -> text.insert(at, text.substring(at, to));
                case 3 -> text.setCharAt(at, (char) random.nextInt(256));
                default -> text.insert(at, "\r\n");
            }
        }
        return text.toString();
    }

    private static String sized(String type, String body) {
        return "Content-Type: " + type + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private static void awaitDescriptors(int open) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (descriptors() > open && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(descriptors()).as("open descriptors").isLessThanOrEqualTo(open);
    }

    private static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }
}
