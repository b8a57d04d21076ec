package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes API server as far as listing and watching goes, that answers in the shape of a real one (v1.36) and
 * misbehaves on demand. All its methods are thread-safe.
 */
public final class FakeApiServer implements AutoCloseable {
    /** For sources that are to try again soon. */
    public static final WatchLimits FAST = new WatchLimits(
            500,
            Duration.ofSeconds(5),
            Duration.ofSeconds(20),
            Duration.ofSeconds(60),
            Duration.ofMillis(20),
            Duration.ofMillis(100),
            Duration.ofSeconds(20));

    public static final String SERVICES = "/api/v1/services";
    public static final String ENDPOINTS = "/api/v1/endpoints";
    public static final String NODES = "/api/v1/nodes";
    public static final String SLICES = "/apis/discovery.k8s.io/v1/endpointslices";

    public static final String POLICIES = "/apis/networking.k8s.io/v1/networkpolicies";

    public static final String SERVICE_CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";

    public static final String EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";

    static final Map<String, String> KINDS = Map.ofEntries(
            Map.entry(SERVICES, "Service"),
            Map.entry(ENDPOINTS, "Endpoints"),
            Map.entry(NODES, "Node"),
            Map.entry(SLICES, "EndpointSlice"),
            Map.entry(POLICIES, "NetworkPolicy"),
            Map.entry(SERVICE_CIDRS, "ServiceCIDR"));

    static final String DISCOVERY = "/apis/discovery.k8s.io/v1";
    private static final String NETWORKING = "/apis/networking.k8s.io/v1";
    private static final ObjectMapper JSON = new ObjectMapper();

    static {
        // Without it each small answer waits for the acknowledgement of the one before.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** What is answered instead of what was asked for; a code of 0 cuts the connection in the middle of the answer. */
    private record Fault(String path, boolean watches, int code, String body, Optional<String> retryAfter) {
        boolean takes(FakeRequest request) {
            return path.equals(request.path())
                    && (watches
                            ? request.isWatch()
                            : !request.isWatch() && (request.isList() || code == 403 || path.equals(EVENTS)));
        }
    }

    private final @Nullable SSLContext tls;
    private final boolean clientCertificates;
    private final FakeStore store = new FakeStore(KINDS.keySet());
    private final FakeWrites writes = new FakeWrites(store);
    private final FakeWatch.Signals signals = new FakeWatch.Signals();

    /* All that follows is guarded by this. */
    private final List<Fault> faults = new ArrayList<>();
    private final List<FakeRequest> requests = new ArrayList<>();
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
        this(null, false);
    }

    /**
     * The same over TLS, if there is a context for it.
     *
     * @param clientCertificates whether it lets in only who has a certificate that the context trusts
     */
    public FakeApiServer(@Nullable SSLContext tls, boolean clientCertificates) {
        this.tls = tls;
        this.clientCertificates = clientCertificates;
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
            HttpServer started = tls == null ? HttpServer.create(address, 100) : secure(address, tls);
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
        }
        cutWatches();
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
    public void put(String path, String json) {
        try {
            store.put(path, (ObjectNode) JSON.readTree(json));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }

    /** Removes an object. */
    public void delete(String path, String namespace, String name) {
        store.delete(path, namespace, name);
    }

    /** Removes all objects of a kind, without an event: as if it had happened before a store was restored. */
    public void forget(String path) {
        store.forget(path);
    }

    /** Forgets what happened so far, as etcd does every five minutes: watches from before and lists begun fail with 410. */
    public void compact() {
        store.compact();
    }

    /** Goes back to an older resourceVersion, as a server whose store was restored; watches from later ones stay silent. */
    public void goBackTo(long older) {
        store.goBackTo(older);
    }

    /** The newest resourceVersion. */
    public long version() {
        return store.version();
    }

    /** When a watch had written the event of this version; nothing if it wrote it together with a later one. */
    public Optional<Long> sentNanos(long version) {
        return store.sentNanos(version);
    }

    /** Sends every watch a bookmark. */
    public void bookmark() {
        signal(() -> signals.bookmarks++);
    }

    /** Cuts the connection of every watch in the middle of a line. */
    public void cutWatches() {
        signal(() -> signals.cuts++);
    }

    /** Ends every watch in order. */
    public void endWatches() {
        signal(() -> signals.ends++);
    }

    /** Makes all watches that are open say nothing more, without closing them. */
    public void muteOpenWatches() {
        signal(() -> signals.mutes++);
    }

    /** Makes the next request for a further page of a list fail with 410. */
    public synchronized void expireNextPage() {
        expirePage = true;
    }

    /**
     * Answers this many of the next lists, watches or Events of a path with this code. Code 403 also answers requests
     * for one object.
     */
    public synchronized void fail(String path, boolean watches, int times, int code, String body, String retryAfter) {
        for (int i = 0; i < times; i++) {
            faults.add(new Fault(
                    path, watches, code, body, retryAfter.isEmpty() ? Optional.empty() : Optional.of(retryAfter)));
        }
    }

    /** Cuts the connection of the next list of a path in the middle of its answer. */
    public void cutNextList(String path) {
        fail(path, false, 1, 0, "{\"kind\":\"List\",\"items\":[{\"metadata\":{\"na", "");
    }

    /** Lets in only requests with this bearer token. */
    public synchronized void requireToken(String required) {
        token = required;
    }

    /** Whether EndpointSlices are served, as since 1.21; 1.19 and 1.20 serve those of v1beta1 alone. */
    public synchronized void serveSlices(boolean served) {
        slicesServed = served;
    }

    /** The Events that were created, in JSON. */
    public List<String> events() {
        return writes.events();
    }

    /** An object in JSON as the server has it now. */
    public Optional<String> get(String path, String namespace, String name) {
        return store.get(path, namespace, name).map(FakeStore.Stored::text);
    }

    /** All requests so far. */
    public synchronized List<FakeRequest> requests() {
        return List.copyOf(requests);
    }

    /** Forgets the requests so far. */
    public synchronized void clearRequests() {
        requests.clear();
        listsAtOnce = listsNow;
    }

    /** How many lists ran at the same time at most. */
    public synchronized int listsAtOnce() {
        return listsAtOnce;
    }

    private HttpServer secure(InetSocketAddress address, SSLContext context) throws IOException {
        HttpsServer secure = HttpsServer.create(address, 100);
        secure.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters ssl = context.getDefaultSSLParameters();
                ssl.setNeedClientAuth(clientCertificates);
                parameters.setSSLParameters(ssl);
            }
        });
        return secure;
    }

    private void signal(Runnable change) {
        synchronized (store) {
            change.run();
            store.notifyAll();
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        FakeRequest request = FakeRequest.of(exchange);
        // Before anyone can see the request and do something to its watch.
        FakeWatch watch = new FakeWatch(store, signals, request);
        Optional<Fault> fault;
        synchronized (this) {
            requests.add(request);
            fault = faults.stream().filter(one -> one.takes(request)).findFirst();
            faults.remove(fault.orElse(null));
        }
        if (fault.isPresent()) {
            misbehave(exchange, fault.get());
        } else if (!permits(request)) {
            answer(exchange, 401, resource("unauthorized.json"));
        } else if (request.path().equals(NETWORKING) && served(SERVICE_CIDRS)) {
            answer(
                    exchange,
                    200,
                    "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"networking.k8s.io/v1\","
                            + "\"resources\":[{\"name\":\"servicecidrs\"},{\"name\":\"networkpolicies\"}]}");
        } else if (request.path().equals(DISCOVERY) && served(SLICES)) {
            answer(exchange, 200, FakeWrites.slicesOf("v1"));
        } else if (request.path().equals(DISCOVERY + "beta1") && !served(SLICES)) {
            answer(exchange, 200, FakeWrites.slicesOf("v1beta1"));
        } else if (request.path().startsWith(DISCOVERY) && !served(SLICES)) {
            // Of a version that it does not have, a server says nothing in the shape of the API.
            answer(exchange, 404, "404 page not found\n");
        } else if (!KINDS.containsKey(request.path())) {
            Optional<String> written = writes.answer(exchange);
            answer(exchange, written.isPresent() ? 200 : 404, written.orElse(FakeWrites.NOT_FOUND));
        } else if (request.isWatch()) {
            try {
                watch.answer(exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        } else {
            list(exchange, request);
        }
    }

    private static void misbehave(HttpExchange exchange, Fault fault) throws IOException {
        fault.retryAfter().ifPresent(after -> exchange.getResponseHeaders().add("Retry-After", after));
        if (fault.code() == 0) {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(fault.body().getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            // The server cuts the connection of a handler that fails.
            throw new IOException("cut");
        }
        answer(exchange, fault.code(), fault.body());
    }

    private synchronized boolean permits(FakeRequest request) {
        return token.isEmpty() || request.token().equals("Bearer " + token);
    }

    private synchronized boolean served(String path) {
        return !path.equals(SLICES) || slicesServed;
    }

    private void list(HttpExchange exchange, FakeRequest request) throws IOException {
        boolean expired;
        synchronized (this) {
            listsNow += request.isList() ? 1 : 0;
            listsAtOnce = Math.max(listsAtOnce, listsNow);
            expired = expirePage && !request.parameter("continue").isEmpty();
            expirePage &= !expired;
        }
        Optional<FakeStore.Page> page = expired ? Optional.empty() : store.page(request);
        // The client may ask for more as soon as it has the last byte.
        Runnable ended = () -> {
            synchronized (this) {
                listsNow -= request.isList() ? 1 : 0;
            }
        };
        if (page.isPresent()) {
            answer(exchange, 200, body(request, page.get()), ended);
        } else {
            answer(exchange, 410, """
                    {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":\
                    "The provided continue parameter is too old to display a consistent list result.",\
                    "reason":"Expired","code":410}""", ended);
        }
    }

    private static String body(FakeRequest request, FakeStore.Page page) {
        StringBuilder body = new StringBuilder();
        body.append("{\"kind\":\"").append(KINDS.get(request.path())).append("List\",\"apiVersion\":\"v1\",");
        body.append("\"metadata\":{\"resourceVersion\":\"")
                .append(page.version())
                .append('"');
        body.append(page.next().isEmpty() ? "" : ",\"continue\":\"" + page.next() + "\"")
                .append("},\"items\":[");
        String separator = "";
        for (FakeStore.Stored object : page.objects()) {
            body.append(separator).append(object.text());
            separator = ",";
        }
        return body.append("]}\n").toString();
    }

    private static void answer(HttpExchange exchange, int code, String body) throws IOException {
        answer(exchange, code, body, () -> {});
    }

    private static void answer(HttpExchange exchange, int code, String body, Runnable beforeLastByte)
            throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            if (bytes.length > 1) {
                out.write(bytes, 0, bytes.length - 1);
                out.flush();
            }
            beforeLastByte.run();
            if (bytes.length > 0) {
                out.write(bytes, bytes.length - 1, 1);
            }
        }
    }

    /** A recorded answer of a real server. */
    static String resource(String name) {
        try (var in = FakeApiServer.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
