package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.access.BearerToken;
import dev.nodepath.apiserver.form.EventForms;
import dev.nodepath.apiserver.http.ApiServer;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.RequestHandler;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.rules.ClusterRules;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.apiserver.verbs.TokenCheck;
import dev.nodepath.linux.HeldPorts;
import dev.nodepath.linux.time.BackOff;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * The project's API server on loopback, which misbehaves on demand. Objects are put into its store as they are, without
 * the checks that requests pass. All its methods are thread-safe.
 */
public final class TestApiServer implements AutoCloseable {
    /** For sources that are to try again soon. */
    public static final WatchLimits FAST = new WatchLimits(
            500,
            Duration.ofSeconds(5),
            Duration.ofSeconds(20),
            Duration.ofSeconds(60),
            new BackOff(Duration.ofMillis(20), Duration.ofMillis(100)),
            Duration.ofSeconds(20));

    public static final String SERVICES = "/api/v1/services";
    public static final String NODES = "/api/v1/nodes";
    public static final String SLICES = "/apis/discovery.k8s.io/v1/endpointslices";
    public static final String PODS = "/api/v1/pods";
    public static final String POLICIES = "/apis/networking.k8s.io/v1/networkpolicies";
    public static final String CLUSTER_POLICIES = "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies";
    public static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    public static final String SERVICE_CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";
    public static final String EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";

    static final Map<String, Resource> KINDS = Map.of(
            SERVICES, Resources.SERVICES,
            NODES, Resources.NODES,
            SLICES, Resources.ENDPOINT_SLICES,
            PODS, Resources.PODS,
            POLICIES, Resources.NETWORK_POLICIES,
            CLUSTER_POLICIES, ClusterPolicyDefinition.RESOURCE,
            DEFINITIONS, Resources.CUSTOM_RESOURCE_DEFINITIONS,
            SERVICE_CIDRS, Resources.SERVICE_CIDRS);

    static final String DISCOVERY = "/apis/discovery.k8s.io/v1";

    private static final int HISTORY_MAX = 1_000_000;
    private static final long FIRST_VERSION = 1000;

    private final Optional<Supplier<SSLEngine>> tls;
    private final Socket port;
    private final Map<Long, Long> sent = new ConcurrentHashMap<>();
    private final Set<DisturbedWatch> watches = ConcurrentHashMap.newKeySet();

    /* All that follows is guarded by this. */
    private final List<ApiServer> servers = new ArrayList<>();
    private final List<AnswerFault> faults = new ArrayList<>();
    private final List<SeenRequest> requests = new ArrayList<>();
    private ObjectStore store = new ObjectStore(FIRST_VERSION, HISTORY_MAX);
    private RequestHandler routes = request -> document(503, "");
    private boolean slicesServed = true;
    private boolean expirePage;
    private String token = "";
    /** The lists that the listening server is answering. Those that a stopped one has begun have no end. */
    private Set<Object> lists = new HashSet<>();

    private int listsAtOnce;

    /** A running server without objects. */
    public TestApiServer() {
        this(null, false);
    }

    /**
     * The same over TLS, if there is a context for it.
     *
     * @param clientCertificates whether it admits only clients with a certificate that the context trusts
     */
    public TestApiServer(@Nullable SSLContext tls, boolean clientCertificates) {
        this.tls = Optional.ofNullable(tls).map(context -> () -> {
            SSLEngine engine = ApiServer.engine(context);
            engine.setNeedClientAuth(clientCertificates);
            return engine;
        });
        try {
            port = HeldPorts.hold();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        put("/api/v1/namespaces", "{\"metadata\":{\"name\":\"default\"}}");
        start();
    }

    /** Where it listens; the same after a restart. */
    public String url() {
        return (tls.isEmpty() ? "http" : "https") + "://127.0.0.1:" + port.getLocalPort();
    }

    /** Starts to listen, again. */
    public synchronized void start() {
        try {
            server().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.getLocalPort()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cuts all connections and refuses new ones; the objects stay. */
    public void stop() {
        List<ApiServer> stopping;
        synchronized (this) {
            stopping = List.copyOf(servers);
            servers.clear();
            lists = new HashSet<>();
        }
        stopping.forEach(ApiServer::close);
        watches.clear();
    }

    @Override
    public void close() {
        stop();
        try {
            port.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds or changes an object, given as JSON without a resourceVersion. */
    public void put(String path, String json) {
        try {
            Resource resource = resourceAt(path);
            ObjectNode object = (ObjectNode) Json.MAPPER.readTree(json);
            object.put("apiVersion", resource.apiVersion()).put("kind", resource.kind());
            store().put(resource, object);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }

    /** Makes the kind ClusterNetworkPolicy, which the server has not before. */
    public void defineClusterPolicies() {
        ObjectStore now = store();
        new ClusterApi(now, new ClusterRules(now), InstantSource.system())
                .create(Resources.CUSTOM_RESOURCE_DEFINITIONS, ClusterPolicyDefinition.definition());
    }

    /** Removes an object. */
    public void delete(String path, String namespace, String name) {
        store().remove(resourceAt(path), new ObjectKey(namespace, name));
    }

    /** Forgets the history, as etcd does every five minutes: earlier watches fail with 410. */
    public void compact() {
        store().compact();
    }

    /**
     * Goes back to an older resourceVersion, like a server with a restored store. Open watches stay silent.
     *
     * @param lost kinds that the older store has no objects of
     */
    public synchronized void restore(long version, String... lost) {
        ObjectStore before = store;
        Set<String> without = Set.of(lost);
        List<Resource> kinds = new ArrayList<>(List.of(Resources.NAMESPACES));
        KINDS.forEach((path, resource) -> {
            if (!without.contains(path)) {
                kinds.add(resource);
            }
        });
        long objects = kinds.stream()
                .mapToLong(kind -> before.list(kind, "").objects().size())
                .sum();
        ObjectStore older = new ObjectStore(version - objects, HISTORY_MAX);
        kinds.forEach(kind -> before.list(kind, "").objects().forEach(object -> older.put(kind, object.deepCopy())));
        older.compact();
        muteOpenWatches();
        store = older;
        sent.clear();
        if (!servers.isEmpty()) {
            server();
        }
    }

    /** The newest resourceVersion. */
    public long version() {
        return store().version();
    }

    /** When a watch had the event of this version to write. */
    public Optional<Long> sentNanos(long version) {
        return Optional.ofNullable(sent.get(version));
    }

    /** Sends every watch a bookmark. */
    public void bookmark() {
        watches.forEach(DisturbedWatch::bookmark);
    }

    /** Cuts the connection of every watch in the middle of a line. */
    public void cutWatches() {
        disturb(DisturbedWatch.Fault.CUT);
    }

    /** Ends every watch in order. */
    public void endWatches() {
        disturb(DisturbedWatch.Fault.END);
    }

    /** Makes all watches that are open say nothing more, without closing them. */
    public void muteOpenWatches() {
        disturb(DisturbedWatch.Fault.MUTE);
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
            faults.add(new AnswerFault(
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

    /** Whether EndpointSlices are served, as since 1.21. */
    public synchronized void serveSlices(boolean served) {
        slicesServed = served;
    }

    /** The Events that were created, in JSON. */
    public List<String> events() {
        return store().list(Resources.EVENTS, "").objects().stream()
                .map(event -> EventForms.toEventsGroup(event).toString())
                .toList();
    }

    /** An object in JSON as the server has it now. */
    public Optional<String> get(String path, String namespace, String name) {
        return store().get(resourceAt(path), new ObjectKey(namespace, name)).map(ObjectNode::toString);
    }

    /** All requests so far. */
    public synchronized List<SeenRequest> requests() {
        return List.copyOf(requests);
    }

    /** Forgets the requests so far. */
    public synchronized void clearRequests() {
        requests.clear();
        listsAtOnce = lists.size();
    }

    /** How many lists ran at the same time at most. */
    public synchronized int listsAtOnce() {
        return listsAtOnce;
    }

    /** A server of the present store. Requests of all servers are answered by the newest. */
    private synchronized ApiServer server() {
        ClusterApi api = new ClusterApi(store, new ClusterRules(store), InstantSource.system());
        Set<Object> listsOfServer = lists;
        ApiServer server = new ApiServer(api, ObjectSchema.NONE, PodStreams.NONE, tls, answering -> {
            routes = answering;
            return asked -> answer(asked, listsOfServer);
        });
        servers.add(server);
        return server;
    }

    private synchronized ObjectStore store() {
        return store;
    }

    private void disturb(DisturbedWatch.Fault fault) {
        watches.forEach(watch -> watch.disturb(fault));
        watches.clear();
    }

    private ApiResponse answer(ApiRequest asked, Set<Object> listsOfServer) {
        SeenRequest request = SeenRequest.of(asked);
        Optional<AnswerFault> fault;
        RequestHandler api;
        synchronized (this) {
            fault = faults.stream().filter(one -> one.takes(request)).findFirst();
            faults.remove(fault.orElse(null));
            api = token.isEmpty() ? routes : new TokenCheck(routes, new BearerToken(token));
            if (fault.isEmpty() && request.isWatch()) {
                // A handler that sees the request may disturb its watch.
                ApiResponse watch = watch(request, api.answer(asked));
                requests.add(request);
                return watch;
            }
            requests.add(request);
        }
        if (fault.isPresent()) {
            return fault.get().answer();
        }
        if (request.path().startsWith(DISCOVERY) && !slicesServed()) {
            return document(404, "404 page not found\n");
        }
        return request.isList() ? list(request, api, asked, listsOfServer) : api.answer(asked);
    }

    private ApiResponse watch(SeenRequest request, ApiResponse answer) {
        if (answer instanceof ApiResponse.Stream stream && KINDS.containsKey(request.path())) {
            DisturbedWatch watch =
                    new DisturbedWatch(stream.source(), resourceAt(request.path()), store(), sent::putIfAbsent);
            watches.add(watch);
            return new ApiResponse.Stream(stream.contentType(), watch);
        }
        return answer;
    }

    private ApiResponse list(SeenRequest request, RequestHandler api, ApiRequest asked, Set<Object> listsOfServer) {
        Object list = new Object();
        synchronized (this) {
            if (expirePage && !request.parameter("continue").isEmpty()) {
                expirePage = false;
                return document(410, """
                        {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":\
                        "The provided continue parameter is too old to display a consistent list result.",\
                        "reason":"Expired","code":410}""");
            }
            listsOfServer.add(list);
            listsAtOnce = Math.max(listsAtOnce, listsOfServer.size());
        }
        ApiResponse answer = api.answer(asked);
        Runnable ended = () -> listEnded(list, listsOfServer);
        if (answer instanceof ApiResponse.Pieces pieces) {
            return new ApiResponse.Pieces(pieces.contentType(), new NotedPieces(pieces.pieces(), ended));
        }
        ended.run();
        return answer;
    }

    private synchronized void listEnded(Object list, Set<Object> listsOfServer) {
        listsOfServer.remove(list);
    }

    private synchronized boolean slicesServed() {
        return slicesServed;
    }

    private static ApiResponse document(int code, String body) {
        return new ApiResponse.Document(code, ApiResponse.JSON, body.getBytes(StandardCharsets.UTF_8));
    }

    private static Resource resourceAt(String path) {
        return path.equals("/api/v1/namespaces") ? Resources.NAMESPACES : Objects.requireNonNull(KINDS.get(path), path);
    }

    /** A recorded answer of a real server. */
    static String resource(String name) {
        try (var in = TestApiServer.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
