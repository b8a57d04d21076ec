package dev.nodepath.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.nodepath.endpoints.source.kubernetes.FakeApiServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The API server of a cluster of containers: over TLS and only with the token of a ServiceAccount, which may do what its roles in
 * the manifest permit. Lists and watches are those of {@link FakeApiServer}; of what is written it keeps a record.
 */
final class ContainerApiServer implements AutoCloseable {
    static final String TOKEN = "token-of-nodepath";

    private static final String DENIED = """
            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%s","reason":"%s","code":%d}""";

    private final FakeApiServer objects = new FakeApiServer();
    private final Map<String, JsonNode> nodes = new ConcurrentHashMap<>();
    private final List<String> denied = new CopyOnWriteArrayList<>();
    private final Map<String, String> conditions = new ConcurrentHashMap<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "api-server");
        thread.setDaemon(true);
        return thread;
    });
    private final AccessRules rules;
    private final HttpsServer server;

    /** Serves on every address. */
    ContainerApiServer(int port, Tls tls, AccessRules rules) throws IOException {
        this.rules = rules;
        server = HttpsServer.create(new InetSocketAddress(port), 100);
        server.setHttpsConfigurator(new HttpsConfigurator(tls.context()));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Adds or changes an object, as {@link FakeApiServer#put}. */
    void put(String path, String text) throws IOException {
        objects.put(path, text);
        if (path.equals(FakeApiServer.NODES)) {
            JsonNode node = json.readTree(text);
            nodes.put(node.path("metadata").path("name").asText(), node);
        }
    }

    void deleteNode(String name) {
        objects.delete(FakeApiServer.NODES, "", name);
        nodes.remove(name);
    }

    /** Requests that no role permits. */
    List<String> denied() {
        return List.copyOf(denied);
    }

    /** The last patch of each node's status, but of those whose condition was removed. */
    Map<String, String> conditions() {
        return Map.copyOf(conditions);
    }

    /** All events so far. */
    List<String> events() {
        return List.copyOf(events);
    }

    @Override
    public void close() {
        server.stop(0);
        objects.close();
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getPath();
        String query = exchange.getRequestURI().getRawQuery();
        if (!("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            answer(exchange, 401, DENIED.formatted("Unauthorized", "Unauthorized", 401));
        } else if (!rules.permit(method, path, query != null && query.contains("watch="))) {
            denied.add(method + " " + path);
            answer(exchange, 403, DENIED.formatted("forbidden: " + method + " " + path, "Forbidden", 403));
        } else if (method.equals("PATCH")) {
            patch(path.split("/", -1)[4], body(exchange));
            answer(exchange, 200, "{}");
        } else if (method.equals("POST")) {
            events.add(body(exchange));
            answer(exchange, 201, "{}");
        } else if (path.startsWith(FakeApiServer.NODES + "/")) {
            @Nullable JsonNode node = node(path.substring(FakeApiServer.NODES.length() + 1));
            answer(
                    exchange,
                    node == null ? 404 : 200,
                    node == null ? DENIED.formatted("", "NotFound", 404) : node.toString());
        } else {
            forward(exchange);
        }
    }

    private void patch(String node, String body) throws IOException {
        if (json.readTree(body).at("/status/conditions/0/$patch").asText("").equals("delete")) {
            conditions.remove(node);
        } else {
            conditions.put(node, body);
        }
    }

    /** With the condition that was set. */
    private @Nullable JsonNode node(String name) throws IOException {
        JsonNode node = nodes.get(name);
        String patch = conditions.get(name);
        if (node == null || patch == null) {
            return node;
        }
        ObjectNode patched = node.deepCopy();
        patched.withObject("/status").set("conditions", json.readTree(patch).at("/status/conditions"));
        return patched;
    }

    private void forward(HttpExchange exchange) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(objects.url() + exchange.getRequestURI()))
                .build();
        try {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(response.statusCode(), 0);
            try (InputStream in = response.body();
                    OutputStream out = exchange.getResponseBody()) {
                byte[] buffer = new byte[16 * 1024];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    out.write(buffer, 0, read);
                    out.flush();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String body(HttpExchange exchange) throws IOException {
        return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static void answer(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }
}
