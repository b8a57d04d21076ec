package dev.nodepath.bench.testbed;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.nodepath.bench.testbed.ApiObject.Kind;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A Kubernetes API server as far as a proxy asks: lists in pages, watches, discovery of EndpointSlices. It listens on
 * the loopback address of a node, so kube-proxy and Nodepath get the same objects in the same form.
 */
public final class BenchApiServer implements AutoCloseable {
    private static final String DISCOVERY = "/apis/discovery.k8s.io/v1";
    /** kube-proxy asks for its Node by name, and otherwise waits half a minute. */
    private static final String NODE = Kind.NODE.path() + "/";

    private static final String SLICES = "discovery.k8s.io/v1";
    /** What kube-proxy before 1.21 asks for. The fields that slices have here are the same. */
    private static final String OLD_SLICES = "discovery.k8s.io/v1beta1";

    private static final int BACKLOG = 100;
    private static final long WATCH_SECONDS = 300;
    /** Nodepath reopens a watch that was silent for 85 s; a real server sends a bookmark every minute. */
    private static final long BOOKMARK_MILLIS = 60_000;

    static {
        // Without it each small answer waits for the acknowledgement of the one before.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final BenchObjects store = new BenchObjects();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "api-server");
        thread.setDaemon(true);
        return thread;
    });
    private final HttpServer server;

    /** Starts to listen in a namespace, without objects. */
    public BenchApiServer(NetworkNamespace namespace) throws LinuxNetException {
        server = namespace.call(
                () -> HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** The server's URL, as seen from its namespace. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Adds or changes an object; every open watch then sends the event. */
    public void put(ApiObject object) {
        store.put(object);
    }

    /** Removes an object. */
    public void delete(ApiObject object) {
        store.delete(object);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String asked = exchange.getRequestURI().getPath();
        boolean old = asked.startsWith("/apis/" + OLD_SLICES + "/");
        String path = old ? asked.replace(OLD_SLICES, SLICES) : asked;
        Map<String, String> parameters = parameters(exchange);
        Optional<Kind> kind = Arrays.stream(Kind.values())
                .filter(each -> each.path().equals(path))
                .findFirst();
        if (path.equals(DISCOVERY)) {
            answer(exchange, 200, """
                    {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"discovery.k8s.io/v1","resources":[\
                    {"name":"endpointslices","singularName":"endpointslice","namespaced":true,"kind":"EndpointSlice",\
                    "verbs":["get","list","watch"]}]}""");
        } else if (path.startsWith(NODE)) {
            Optional<String> node = store.get(Kind.NODE, "/" + path.substring(NODE.length()));
            answer(exchange, node.isPresent() ? 200 : 404, node.orElseGet(BenchApiServer::notFound));
        } else if (kind.isEmpty() || !exchange.getRequestMethod().equals("GET")) {
            answer(exchange, 404, notFound());
        } else if (parameters.containsKey("sendInitialEvents")) {
            // The answer of a server before 1.32; clients then list.
            answer(exchange, 422, status(422, "Invalid", "sendInitialEvents: Forbidden"));
        } else if (parameters.containsKey("watch")) {
            watch(exchange, kind.get(), parameters, old);
        } else {
            list(exchange, kind.get(), parameters, old);
        }
    }

    /** An answer in the version that was asked for. */
    private static String version(String answer, boolean old) {
        return old
                ? answer.replace("\"apiVersion\":\"" + SLICES + "\"", "\"apiVersion\":\"" + OLD_SLICES + "\"")
                : answer;
    }

    private void list(HttpExchange exchange, Kind kind, Map<String, String> parameters, boolean old)
            throws IOException {
        int limit = (int) number(parameters, "limit", Integer.MAX_VALUE);
        Optional<BenchObjects.Page> page = store.page(
                kind,
                onlyName(parameters),
                limit == 0 ? Integer.MAX_VALUE : limit,
                parameters.getOrDefault("continue", ""));
        if (page.isEmpty()) {
            answer(exchange, 410, status(410, "Expired", "the continue parameter is too old"));
            return;
        }
        String next = page.get().next().isEmpty()
                ? ""
                : ",\"continue\":\"" + page.get().next() + "\"";
        answer(
                exchange,
                200,
                version(
                        "{\"kind\":\"" + kind.objectName() + "List\",\"apiVersion\":\"" + kind.version()
                                + "\",\"metadata\":{\"resourceVersion\":\""
                                + page.get().version() + "\"" + next
                                + "},\"items\":["
                                + String.join(",", page.get().objects()) + "]}\n",
                        old));
    }

    private void watch(HttpExchange exchange, Kind kind, Map<String, String> parameters, boolean old)
            throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        long deadline =
                System.nanoTime() + TimeUnit.SECONDS.toNanos(number(parameters, "timeoutSeconds", WATCH_SECONDS));
        long seen = number(parameters, "resourceVersion", 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.flush();
            while (System.nanoTime() < deadline) {
                List<BenchObjects.Event> events;
                synchronized (store) {
                    if (!store.has(seen)) {
                        write(
                                out,
                                "{\"type\":\"ERROR\",\"object\":" + status(410, "Expired", "too old resource version")
                                        + "}\n");
                        return;
                    }
                    events = awaitEvents(seen, kind, onlyName(parameters), deadline);
                    seen = store.version();
                }
                StringBuilder lines = new StringBuilder();
                events.forEach(event -> lines.append(event.line()));
                write(out, version(lines.isEmpty() ? bookmark(kind, seen) : lines.toString(), old));
            }
        } catch (InterruptedException e) {
            // The server is closed; so are its connections.
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for events after a version; returns none when a bookmark or the end of the watch is due. The caller holds the store's lock. */
    private List<BenchObjects.Event> awaitEvents(long seen, Kind kind, String onlyName, long deadline)
            throws InterruptedException {
        long until = Math.min(deadline, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BOOKMARK_MILLIS));
        List<BenchObjects.Event> events = store.after(seen, kind, onlyName);
        long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        while (events.isEmpty() && left > 0) {
            store.wait(left);
            events = store.after(seen, kind, onlyName);
            left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        }
        return events;
    }

    private static String bookmark(Kind kind, long version) {
        return "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"" + kind.objectName() + "\",\"apiVersion\":\""
                + kind.version() + "\",\"metadata\":{\"resourceVersion\":\"" + version + "\"}}}\n";
    }

    private static String status(int code, String reason, String message) {
        return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\""
                + message + "\",\"reason\":\"" + reason + "\",\"code\":" + code + "}";
    }

    private static String notFound() {
        return status(404, "NotFound", "the server could not find the requested resource");
    }

    private static String onlyName(Map<String, String> parameters) {
        String selector = parameters.getOrDefault("fieldSelector", "");
        return selector.startsWith("metadata.name=") ? selector.substring("metadata.name=".length()) : "";
    }

    private static long number(Map<String, String> parameters, String name, long otherwise) {
        String value = parameters.getOrDefault(name, "");
        return value.isEmpty() ? otherwise : Long.parseLong(value);
    }

    private static Map<String, String> parameters(HttpExchange exchange) {
        Map<String, String> parameters = new HashMap<>();
        String query = exchange.getRequestURI().getRawQuery();
        for (String pair : query == null ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                parameters.put(
                        pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return parameters;
    }

    private static void answer(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
