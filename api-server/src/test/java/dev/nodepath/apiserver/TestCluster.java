package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.access.BearerToken;
import dev.nodepath.apiserver.access.KubeconfigFile;
import dev.nodepath.apiserver.access.ServerCertificate;
import dev.nodepath.apiserver.http.ApiServer;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.rules.ClusterRules;
import dev.nodepath.apiserver.rules.ClusterSchema;
import dev.nodepath.apiserver.rules.InitialObjects;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.apiserver.verbs.TokenCheck;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A server on loopback with the namespace {@code default}, and a client of it. */
public final class TestCluster implements AutoCloseable {
    private static final int HISTORY = 1000;
    private static final long FIRST_VERSION = 1000;
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    public final ClusterApi api;
    public final BearerToken token = BearerToken.random();
    public final ServerCertificate certificate =
            ServerCertificate.create(List.of(InetAddress.getLoopbackAddress()), Instant.now());
    public final HttpClient client;
    public final InetSocketAddress address;
    private final ApiServer server;
    private Optional<ApiServer> plain = Optional.empty();

    /** A cluster without rules, with the namespace {@code default}. */
    public TestCluster() throws IOException, GeneralSecurityException {
        this(new ObjectStore(FIRST_VERSION, HISTORY), ObjectRules.NONE, ObjectSchema.NONE, PodStreams.NONE);
        api.create(Resources.NAMESPACES, tree("{'metadata':{'name':'default'},'status':{'phase':'Active'}}"));
    }

    /** A cluster with the rules and the first objects of a real one. */
    public static TestCluster withRules(PodStreams streams) throws IOException, GeneralSecurityException {
        ObjectStore store = new ObjectStore(FIRST_VERSION, HISTORY);
        TestCluster cluster = new TestCluster(store, new ClusterRules(store), new ClusterSchema(), streams);
        new InitialObjects(List.of("10.96.0.0/12"), "172.30.0.1", 6443).create(cluster.api);
        return cluster;
    }

    private TestCluster(ObjectStore store, ObjectRules rules, ObjectSchema schema, PodStreams streams)
            throws IOException, GeneralSecurityException {
        api = new ClusterApi(store, rules, InstantSource.system());
        server = new ApiServer(api, schema, streams, certificate, token);
        address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        client = HttpClient.newBuilder()
                .sslContext(trusting(certificate))
                .connectTimeout(TIMEOUT)
                .build();
    }

    /** JSON with single quotes. */
    public static ObjectNode tree(String json) {
        try {
            return (ObjectNode) Json.MAPPER.readTree(json.replace('\'', '"'));
        } catch (IOException e) {
            throw new AssertionError(json, e);
        }
    }

    /** The file for kubectl. */
    public String kubeconfig() {
        return new KubeconfigFile("https://127.0.0.1:" + address.getPort(), certificate.pem(), token.value(), "test")
                .yaml();
    }

    public URI uri(String path) {
        return URI.create("https://localhost:" + address.getPort() + path);
    }

    /** A request with the token. */
    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path)).timeout(TIMEOUT).header("Authorization", "Bearer " + token.value());
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
    }

    public JsonNode getTree(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(path);
        if (response.statusCode() != 200) {
            throw new AssertionError(path + ": " + response.statusCode() + " " + response.body());
        }
        return Json.MAPPER.readTree(response.body());
    }

    /** Sends JSON with single quotes. */
    public HttpResponse<String> send(String method, String path, String json) throws IOException, InterruptedException {
        return send(method, path, json, "application/json");
    }

    public HttpResponse<String> send(String method, String path, String json, String type)
            throws IOException, InterruptedException {
        return client.send(
                request(path)
                        .method(method, HttpRequest.BodyPublishers.ofString(json.replace('\'', '"')))
                        .header("Content-Type", type)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Opens a watch; its lines are read from the stream. */
    public InputStream watch(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), HttpResponse.BodyHandlers.ofInputStream())
                .body();
    }

    /** Listens without TLS too, until it is closed. */
    public InetSocketAddress listenInPlain() throws IOException {
        ApiServer another = new ApiServer(
                api, new ClusterSchema(), PodStreams.NONE, Optional.empty(), routes -> new TokenCheck(routes, token));
        plain = Optional.of(another);
        return another.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @Override
    public void close() {
        server.close();
        plain.ifPresent(ApiServer::close);
    }

    private static SSLContext trusting(ServerCertificate certificate) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("server", certificate.certificate());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
