package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import dev.nodepath.report.form.Chromium;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prints the costs of the live page: time for its readers, processor time and memory of the cluster. See
 * docs/bench.md.
 */
@Tag("figures")
@Timeout(5400)
class PageFiguresTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** 200 Pods, with those of every cluster. */
    private static final int MORE_PODS = 192;

    private static final int CONNECTIONS_OF_EACH = 500;
    private static final int READERS = 20;
    private static final int TIMES = 31;
    private static final Duration WATCHED = Duration.ofSeconds(20);
    /** Kernel ticks of {@code /proc/PID/stat}: a hundredth of a second on every Linux that Java runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private static final Duration SOAK = Duration.ofSeconds(Integer.getInteger("nodepath.test.soak", 60));

    @TempDir
    private Path folder;

    private final List<Socket> sockets = new ArrayList<>();
    private NodepathScript nodepath = new NodepathScript(Path.of("/"));
    private PageClient page = PageClient.NONE;
    private long cluster;

    @BeforeEach
    void up() throws Exception {
        nodepath = new NodepathScript(folder);
        page = PageClient.up(nodepath);
        cluster = clusterProcess();
    }

    @AfterEach
    void down() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        nodepath.run("down");
    }

    @Test
    void readersOfASmallCluster() throws Exception {
        print("a probe with all its hops", "ms", probes());
        print(
                "readiness set to the event at %d readers, one of which reads nothing".formatted(READERS),
                "ms",
                changes());
        try (Chromium chromium = new Chromium(folder)) {
            print("the picture is drawn after the start of navigation", "ms", drawn(chromium, 8));
            print("readiness set to its pod marked on the page", "ms", marked(chromium));
        }
    }

    @Test
    void costOfALargeCluster() throws Exception {
        scale();
        double alone = watch("nobody reads the page");
        print("processor time to tell the rates of 200 pods once", "ms", rates());
        try (Chromium chromium = new Chromium(folder)) {
            print("200 pods are drawn after the start of navigation", "ms", drawn(chromium, 100));
            double idle = watch("a browser shows the picture");
            connect();
            double connected = watch("the same, 1000 connections are open");
            chromium.evaluate("view('flows'); ''");
            await(chromium, "document.querySelectorAll('#flow-rows tr').length >= 900");
            double flows = watch("a browser shows their flows, once a second");
            System.out.printf(
                    "the page costs %.1f %% of a core, its flows %.1f %%%n",
                    100 * (idle - alone), 100 * (flows - connected));
            soak(chromium);
        }
    }

    /**
     * The time that the page's own threads use from one event to the next. In an idle cluster the events are the
     * rates.
     */
    private List<Double> rates() throws Exception {
        BufferedReader events = stream();
        List<Double> millis = new ArrayList<>();
        double before = 0;
        for (int told = 0; told < 3 * TIMES; ) {
            if (events.readLine().equals("event: rates")) {
                told++;
                double now = pageMillis();
                if (told > 2 * TIMES) { // its code is compiled
                    millis.add(now - before);
                }
                before = now;
            }
        }
        sockets.remove(sockets.size() - 1).close();
        return millis;
    }

    private double pageMillis() throws IOException {
        double nanos = 0;
        try (Stream<Path> threads = Files.list(Path.of("/proc", String.valueOf(cluster), "task"))) {
            for (Path thread : threads.toList()) {
                String name = Files.readString(thread.resolve("comm"));
                if (name.startsWith("page-reads") || name.startsWith("page-loop")) {
                    nanos += Double.parseDouble(
                            Files.readString(thread.resolve("schedstat")).split(" ", -1)[0]);
                }
            }
        }
        return nanos / 1e6;
    }

    private List<Double> probes() throws Exception {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            long start = System.nanoTime();
            JsonNode answer = page.post(
                    "probe", JSON.createObjectNode().put("from", "client-1").put("to", "web:80"));
            millis.add((System.nanoTime() - start) / 1e6);
            assertThat(answer.path("differences")).isEmpty();
        }
        return millis;
    }

    /** The worst of all readers' times, for each change. */
    private List<Double> changes() throws Exception {
        stream(); // it reads nothing
        List<BufferedReader> readers = new ArrayList<>();
        for (int i = 1; i < READERS; i++) {
            BufferedReader reader = stream();
            while (!reader.readLine().startsWith("data: ")) {
                // The whole state comes first.
            }
            readers.add(reader);
        }
        ExecutorService pool = Executors.newFixedThreadPool(READERS);
        List<Double> millis = new ArrayList<>();
        try {
            for (int change = 0; change < TIMES; change++) {
                boolean ready = change % 2 == 1;
                String expected = "\"ready\":" + ready;
                List<Future<Long>> seen = new ArrayList<>();
                for (BufferedReader reader : readers) {
                    seen.add(pool.submit(() -> awaitPod(reader, expected)));
                }
                long start = System.nanoTime();
                page.post(
                        "ready",
                        JSON.createObjectNode().put("pod", "default/web-3").put("ready", ready));
                long last = 0;
                for (Future<Long> each : seen) {
                    last = Math.max(last, each.get(5, TimeUnit.MINUTES));
                }
                millis.add((last - start) / 1e6);
            }
        } finally {
            pool.shutdownNow();
        }
        return millis;
    }

    private static long awaitPod(BufferedReader reader, String expected) throws IOException {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("data: {\"id\":\"web-3\"") && line.contains(expected)) {
                return System.nanoTime();
            }
        }
        throw new IOException("the stream ended");
    }

    private List<Double> drawn(Chromium chromium, int pods) throws Exception {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            chromium.open(URI.create("about:blank"));
            chromium.open(page.link());
            await(chromium, "model.loaded && model.pods.size >= " + pods);
            millis.add(Double.valueOf(chromium.evaluate("performance.getEntriesByName('drawn')[0].startTime + ''")));
        }
        return millis;
    }

    private List<Double> marked(Chromium chromium) throws Exception {
        List<Double> millis = new ArrayList<>();
        String cell = "drawn.get('pod:web-3')";
        await(chromium, cell);
        boolean off =
                chromium.evaluate(cell + ".classList.contains('off') + ''").equals("true");
        for (int i = 0; i < TIMES; i++) {
            boolean ready = off == (i % 2 == 0);
            chromium.evaluate("var began = performance.now(), took = 0; new MutationObserver((changes, watching) => {"
                    + " if (" + cell + ".classList.contains('off') === " + !ready + ") {"
                    + " took = performance.now() - began; watching.disconnect(); } })"
                    + ".observe(" + cell + ", {attributes: true}); act('ready', {pod: 'default/web-3', ready: "
                    + ready
                    + "}); ''");
            await(chromium, "took > 0");
            millis.add(Double.valueOf(chromium.evaluate("took + ''")));
        }
        return millis;
    }

    private void scale() throws Exception {
        Path file = folder.resolve("many.yaml");
        Files.writeString(file, """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: many}
                spec:
                  replicas: %d
                  selector: {matchLabels: {app: many}}
                  template:
                    metadata: {labels: {app: many}}
                    spec:
                      containers:
                        - name: server
                          image: nodepath/whoami
                          ports: [{name: http, containerPort: 8080}]
                """.formatted(MORE_PODS));
        assertThat(nodepath.run("kubectl", "apply", "-f", file.toString()).exitCode())
                .isZero();
        Eventually.isTrue(Duration.ofMinutes(3), () -> "200 ready pods", () -> readyPods() >= 200);
        rest();
    }

    private int readyPods() throws IOException, InterruptedException {
        int ready = 0;
        for (JsonNode pod : page.state().path("pods")) {
            ready += pod.path("ready").asBoolean() ? 1 : 0;
        }
        return ready;
    }

    /** Opens them from both clients, and leaves them open. */
    private void connect() throws Exception {
        for (String place : List.of("client-1", "client-2")) {
            nodepath.start(
                    folder.resolve(place + ".txt"),
                    "exec",
                    place,
                    "--",
                    "bash",
                    "-c",
                    "ulimit -n 4096; for i in $(seq " + CONNECTIONS_OF_EACH
                            + "); do exec {fd}<>/dev/tcp/web/80 || exit 1; done; echo open; sleep 5400");
        }
        for (String place : List.of("client-1", "client-2")) {
            Path output = folder.resolve(place + ".txt");
            Eventually.isTrue(
                    Duration.ofMinutes(2),
                    () -> place + " has connected: " + Files.readString(output),
                    () -> Files.readString(output).contains("open"));
        }
        rest();
    }

    /** Waits until earlier work is over, and its code compiled. */
    private static void rest() {
        LockSupport.parkNanos(Duration.ofSeconds(5).toNanos());
    }

    private double watch(String what) throws IOException {
        double before = processorSeconds();
        long start = System.nanoTime();
        LockSupport.parkNanos(WATCHED.toNanos());
        double share = (processorSeconds() - before) / ((System.nanoTime() - start) / 1e9);
        System.out.printf("%s: the cluster's process takes %.1f %% of a core%n", what, 100 * share);
        return share;
    }

    private void soak(Chromium chromium) throws Exception {
        long end = System.nanoTime() + SOAK.toNanos();
        for (int minute = 0; System.nanoTime() < end; minute++) {
            if (minute % 10 == 0) {
                System.out.printf(
                        "after %d minutes: the cluster's process has %d MB, %d threads and %d descriptors, the page %s MB%n",
                        minute,
                        residentMegabytes(),
                        count("task"),
                        count("fd"),
                        chromium.evaluate("(performance.memory.usedJSHeapSize / 1e6).toFixed(1)"));
            }
            page.post(
                    "ready", JSON.createObjectNode().put("pod", "default/web-3").put("ready", minute % 2 == 1));
            page.post("probe", JSON.createObjectNode().put("from", "client-1").put("to", "web:80"));
            LockSupport.parkNanos(Math.min(Duration.ofMinutes(1).toNanos(), end - System.nanoTime()));
        }
        System.out.printf(
                "at the end: %d MB, %d threads, %d descriptors, the page %s MB%n",
                residentMegabytes(),
                count("task"),
                count("fd"),
                chromium.evaluate("(performance.memory.usedJSHeapSize / 1e6).toFixed(1)"));
    }

    private double processorSeconds() throws IOException {
        String stat = Files.readString(Path.of("/proc", String.valueOf(cluster), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    private long residentMegabytes() throws IOException {
        return Files.readAllLines(Path.of("/proc", String.valueOf(cluster), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                .sum();
    }

    private long count(String entries) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc", String.valueOf(cluster), entries))) {
            return files.count();
        }
    }

    private static long clusterProcess() throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .map(process -> process.getFileName().toString())
                    .filter(NodepathScript::isOurs)
                    .filter(pid -> NodepathScript.commandLine(pid).matches(".*java.* enclosed-cluster .*"))
                    .mapToLong(Long::parseLong)
                    .max()
                    .orElseThrow(() -> new IOException("no process of the cluster"));
        }
    }

    private BufferedReader stream() throws IOException {
        URI uri = URI.create(page.address());
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort());
        sockets.add(socket);
        String request = "GET /api/events HTTP/1.1\r\nHost: " + uri.getAuthority() + "\r\nAuthorization: Bearer "
                + page.token() + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void await(Chromium chromium, String condition) throws Exception {
        Eventually.isTrue(condition, () -> chromium.has(condition));
    }

    private static void print(String what, String unit, List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        System.out.printf(
                "%s: p50 %.1f %s, worst %.1f of %d%n",
                what, sorted.get(sorted.size() / 2), unit, sorted.get(sorted.size() - 1), sorted.size());
    }
}
