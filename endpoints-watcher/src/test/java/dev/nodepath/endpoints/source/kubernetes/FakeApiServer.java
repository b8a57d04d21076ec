package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes API server as far as listing and watching goes, that answers in the shape of a real one (v1.36) and
 * misbehaves on demand. All its methods are thread-safe.
 */
public final class FakeApiServer implements AutoCloseable {
    public static final String SERVICES = "/api/v1/services";
    public static final String ENDPOINTS = "/api/v1/endpoints";
    public static final String NODES = "/api/v1/nodes";
    public static final String SLICES = "/apis/discovery.k8s.io/v1/endpointslices";

    private static final String DISCOVERY = "/apis/discovery.k8s.io/v1";
    private static final Map<String, String> KINDS =
            Map.of(SERVICES, "Service", ENDPOINTS, "Endpoints", NODES, "Node", SLICES, "EndpointSlice");
    private static final ObjectMapper JSON = new ObjectMapper();

    static {
        // Without it each small answer waits for the acknowledgement of the one before.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** A request, with its decoded parameters. */
    public record Request(String path, Map<String, String> parameters, String token, long nanos) {
        /** Whether it is a list of all objects; one of a single object only asks how the server is. */
        public boolean isList() {
            return KINDS.containsKey(path)
                    && !isWatch()
                    && !parameters.getOrDefault("limit", "").equals("1");
        }

        public boolean isWatch() {
            return parameters.containsKey("watch");
        }
    }

    private record Event(
            long version,
            @Nullable ObjectNode before,
            @Nullable ObjectNode after) {}

    private record Fault(String path, boolean watches, int code, String body, Optional<String> retryAfter) {}

    /** A list that is given out in pages: what was there when it began. */
    private record Pages(List<ObjectNode> rest, long version) {}

    private final @Nullable SSLContext tls;

    /* All that follows is guarded by this. */
    private final Map<String, TreeMap<String, ObjectNode>> objects = new HashMap<>();
    private final Map<String, List<Event>> history = new HashMap<>();
    private final Map<String, Pages> pages = new HashMap<>();
    private final List<Fault> faults = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private long version = 1000;
    private long compacted;
    private int cuts;
    private int ends;
    private int bookmarks;
    private int mutes;
    private boolean slicesServed = true;
    private boolean expirePage;
    private String token = "";
    private int listsNow;
    private int listsAtOnce;
    private int port;
    private @Nullable HttpServer server;
    private @Nullable ExecutorService executor;

    /** A running server without objects. */
    public FakeApiServer() {
        this(null);
    }

    /** The same over TLS, if there is a context for it. */
    public FakeApiServer(@Nullable SSLContext tls) {
        this.tls = tls;
        for (String path : KINDS.keySet()) {
            objects.put(path, new TreeMap<>());
            history.put(path, new ArrayList<>());
        }
        start();
    }

    /** Where it listens; the same after a restart. */
    public synchronized String url() {
        return (tls == null ? "http" : "https") + "://127.0.0.1:" + port;
    }

    /** Starts to listen, again. */
    public synchronized void start() {
        try {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            HttpServer started;
            if (tls == null) {
                started = HttpServer.create(address, 100);
            } else {
                HttpsServer secure = HttpsServer.create(address, 100);
                secure.setHttpsConfigurator(new HttpsConfigurator(tls));
                started = secure;
            }
            ExecutorService threads = Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "fake-api-server");
                thread.setDaemon(true);
                return thread;
            });
            started.setExecutor(threads);
            started.createContext("/", this::handle);
            started.start();
            port = started.getAddress().getPort();
            server = started;
            executor = threads;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cuts all connections and refuses new ones; the objects stay. */
    public void stop() {
        HttpServer stopping;
        synchronized (this) {
            stopping = server;
            server = null;
            cuts++;
            notifyAll();
        }
        if (stopping != null) {
            stopping.stop(0);
        }
        synchronized (this) {
            if (executor != null) {
                executor.shutdownNow();
            }
        }
    }

    @Override
    public void close() {
        stop();
    }

    /** Adds or changes an object, given as JSON without a resourceVersion. */
    public synchronized void put(String path, String json) {
        put(path, tree(json));
    }

    /** Removes an object. */
    public synchronized void delete(String path, String namespace, String name) {
        ObjectNode before = objects(path).remove(namespace + "/" + name);
        if (before != null) {
            record(path, new Event(++version, before, null));
        }
    }

    /** Removes all objects of a kind, without an event: as if it had happened before a store was restored. */
    public synchronized void forget(String path) {
        objects(path).clear();
    }

    /** Sends every watch a bookmark. */
    public synchronized void bookmark() {
        bookmarks++;
        notifyAll();
    }

    /** Forgets what happened so far, as etcd does every five minutes: watches from before and lists begun fail with 410. */
    public synchronized void compact() {
        compacted = version;
        history.values().forEach(List::clear);
        pages.clear();
    }

    /** Makes the next request for a further page of a list fail with 410. */
    public synchronized void expireNextPage() {
        expirePage = true;
    }

    /** Goes back to an older resourceVersion, as a server whose store was restored; watches from later ones stay silent. */
    public synchronized void goBackTo(long older) {
        version = older;
        history.values().forEach(List::clear);
        pages.clear();
    }

    /** The newest resourceVersion. */
    public synchronized long version() {
        return version;
    }

    /** Cuts the connection of every watch in the middle of a line. */
    public synchronized void cutWatches() {
        cuts++;
        notifyAll();
    }

    /** Ends every watch in order. */
    public synchronized void endWatches() {
        ends++;
        notifyAll();
    }

    /** Makes all watches that are open say nothing more, without closing them. */
    public synchronized void muteOpenWatches() {
        mutes++;
        notifyAll();
    }

    /** Answers so many of the next lists or watches of a path with this code; 403 a question for one object as well. */
    public synchronized void fail(String path, boolean watches, int times, int code, String body, String retryAfter) {
        for (int i = 0; i < times; i++) {
            faults.add(new Fault(
                    path, watches, code, body, retryAfter.isEmpty() ? Optional.empty() : Optional.of(retryAfter)));
        }
    }

    /** Lets in only requests with this bearer token. */
    public synchronized void requireToken(String required) {
        token = required;
    }

    /** Whether EndpointSlices are served, as since 1.21. */
    public synchronized void serveSlices(boolean served) {
        slicesServed = served;
    }

    /** All requests so far. */
    public synchronized List<Request> requests() {
        return List.copyOf(requests);
    }

    /** Forgets the requests so far. */
    public synchronized void clearRequests() {
        requests.clear();
    }

    /** How many lists ran at the same time at most. */
    public synchronized int listsAtOnce() {
        return listsAtOnce;
    }

    private void put(String path, ObjectNode object) {
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put("resourceVersion", Long.toString(++version));
        String key = metadata.path("namespace").asText("") + "/"
                + metadata.path("name").asText("");
        ObjectNode before = objects(path).put(key, object);
        record(path, new Event(version, before, object));
    }

    private void record(String path, Event event) {
        events(path).add(event);
        notifyAll();
    }

    private Map<String, ObjectNode> objects(String path) {
        return java.util.Objects.requireNonNull(objects.get(path), path);
    }

    private List<Event> events(String path) {
        return java.util.Objects.requireNonNull(history.get(path), path);
    }

    private void handle(HttpExchange exchange) throws IOException {
        Request request = request(exchange);
        Optional<Fault> fault;
        synchronized (this) {
            requests.add(request);
            fault = fault(request);
            faults.remove(fault.orElse(null));
        }
        if (fault.isPresent()) {
            fault.get()
                    .retryAfter()
                    .ifPresent(after -> exchange.getResponseHeaders().add("Retry-After", after));
            answer(exchange, fault.get().code(), fault.get().body());
        } else if (!permits(request)) {
            answer(exchange, 401, resource("unauthorized.json"));
        } else if (request.path().equals(DISCOVERY) && served(SLICES)) {
            answer(exchange, 200, """
                    {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"discovery.k8s.io/v1","resources":[\
                    {"name":"endpointslices","singularName":"endpointslice","namespaced":true,"kind":"EndpointSlice",\
                    "verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}]}""");
        } else if (!KINDS.containsKey(request.path()) || !served(request.path())) {
            answer(exchange, 404, """
                    {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
                    "message":"the server could not find the requested resource","reason":"NotFound","code":404}""");
        } else if (request.isWatch()) {
            try {
                watch(exchange, request);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        } else {
            list(exchange, request);
        }
    }

    private synchronized Optional<Fault> fault(Request request) {
        return faults.stream()
                .filter(one -> one.path().equals(request.path())
                        && (one.watches() ? request.isWatch() : request.isList() || one.code() == 403))
                .findFirst();
    }

    private synchronized boolean permits(Request request) {
        return token.isEmpty() || request.token().equals("Bearer " + token);
    }

    private synchronized boolean served(String path) {
        return !path.equals(SLICES) || slicesServed;
    }

    private void list(HttpExchange exchange, Request request) throws IOException {
        StringBuilder body = new StringBuilder();
        int code = 200;
        synchronized (this) {
            listsAtOnce = Math.max(listsAtOnce, request.isList() ? ++listsNow : listsNow);
            String next = request.parameters().getOrDefault("continue", "");
            Pages page = next.isEmpty()
                    ? new Pages(
                            objects(request.path()).values().stream()
                                    .filter(object -> selects(request, object))
                                    .toList(),
                            version)
                    : pages.get(next);
            if (page == null || (expirePage && !next.isEmpty())) {
                expirePage = false;
                code = 410;
                body.append("""
                        {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":\
                        "The provided continue parameter is too old to display a consistent list result.",\
                        "reason":"Expired","code":410}""");
            } else {
                page(body, request, page);
            }
        }
        try {
            answer(exchange, code, body.toString());
        } finally {
            synchronized (this) {
                listsNow -= request.isList() ? 1 : 0;
            }
        }
    }

    private void page(StringBuilder body, Request request, Pages page) {
        int limit = Integer.parseInt(request.parameters().getOrDefault("limit", "1000000"));
        List<ObjectNode> now =
                page.rest().subList(0, Math.min(limit, page.rest().size()));
        String next = "";
        if (now.size() < page.rest().size()) {
            next = "after-" + page.version() + "-" + (page.rest().size() - now.size());
            pages.put(
                    next, new Pages(page.rest().subList(now.size(), page.rest().size()), page.version()));
        }
        body.append("{\"kind\":\"").append(KINDS.get(request.path())).append("List\",\"apiVersion\":\"v1\",");
        body.append("\"metadata\":{\"resourceVersion\":\"")
                .append(page.version())
                .append('"');
        body.append(next.isEmpty() ? "" : ",\"continue\":\"" + next + "\"").append("},\"items\":[");
        String separator = "";
        for (ObjectNode object : now) {
            body.append(separator).append(object);
            separator = ",";
        }
        body.append("]}\n");
    }

    private void watch(HttpExchange exchange, Request request) throws IOException, InterruptedException {
        long from = Long.parseLong(request.parameters().getOrDefault("resourceVersion", "0"));
        long deadline = System.nanoTime()
                + Long.parseLong(request.parameters().getOrDefault("timeoutSeconds", "300")) * 1_000_000_000L;
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        int cut;
        int end;
        int bookmarked;
        int muted;
        synchronized (this) {
            cut = cuts;
            end = ends;
            bookmarked = bookmarks;
            muted = mutes;
            if (from < compacted) {
                write(out, resource("watch-too-old.json"));
                out.close();
                return;
            }
        }
        out.flush();
        long seen = from;
        while (true) {
            List<String> lines = new ArrayList<>();
            synchronized (this) {
                long left = (deadline - System.nanoTime()) / 1_000_000;
                if (ends != end || left <= 0) {
                    break;
                }
                if (cuts != cut) {
                    write(out, "{\"type\":\"MODIFIED\",\"object\":{\"kind\":");
                    // The server cuts the connection of a handler that fails.
                    throw new IOException("cut");
                }
                long after = seen;
                List<Event> news = events(request.path()).stream()
                        .filter(event -> event.version() > after)
                        .toList();
                if (mutes != muted || (news.isEmpty() && bookmarks == bookmarked)) {
                    wait(left);
                    continue;
                }
                for (Event event : news) {
                    line(request, event).ifPresent(lines::add);
                    seen = event.version();
                }
                // A server says nothing, not even this, before it has come to where the watch begins.
                if (bookmarks != bookmarked && version >= from) {
                    lines.add("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"" + KINDS.get(request.path())
                            + "\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" + version + "\"}}}\n");
                }
                bookmarked = bookmarks;
            }
            for (String line : lines) {
                write(out, line);
            }
        }
        out.close();
    }

    private Optional<String> line(Request request, Event event) {
        boolean before = event.before() != null && selects(request, event.before());
        boolean after = event.after() != null && selects(request, event.after());
        if (!before && !after) {
            return Optional.empty();
        }
        ObjectNode object = after ? event.after() : event.before();
        if (object != null && !after) {
            object = object.deepCopy();
            object.withObject("/metadata").put("resourceVersion", Long.toString(event.version()));
        }
        String type = !after ? "DELETED" : before ? "MODIFIED" : "ADDED";
        return Optional.of("{\"type\":\"" + type + "\",\"object\":" + object + "}\n");
    }

    private static boolean selects(Request request, ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        String field = request.parameters().getOrDefault("fieldSelector", "");
        if (!field.isEmpty()
                && !field.equals("metadata.name=" + metadata.path("name").asText())) {
            return false;
        }
        for (String term :
                request.parameters().getOrDefault("labelSelector", "").split(",", -1)) {
            int equals = term.indexOf('=');
            boolean holds = term.isEmpty()
                    || (term.startsWith("!")
                            ? !metadata.path("labels").has(term.substring(1))
                            : metadata.path("labels")
                                    .path(term.substring(0, equals))
                                    .asText("")
                                    .equals(term.substring(equals + 1)));
            if (!holds) {
                return false;
            }
        }
        return true;
    }

    private static Request request(HttpExchange exchange) {
        Map<String, String> parameters = new HashMap<>();
        String query = exchange.getRequestURI().getRawQuery();
        for (String pair : query == null ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            parameters.put(
                    pair.substring(0, equals), URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        String token = exchange.getRequestHeaders().getFirst("Authorization");
        return new Request(
                exchange.getRequestURI().getPath(),
                Map.copyOf(parameters),
                token == null ? "" : token,
                System.nanoTime());
    }

    private static void answer(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** A recorded answer of a real server. */
    static String resource(String name) {
        try (var in = FakeApiServer.class.getResourceAsStream(name)) {
            return new String(java.util.Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectNode tree(String json) {
        try {
            return (ObjectNode) JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }
}
