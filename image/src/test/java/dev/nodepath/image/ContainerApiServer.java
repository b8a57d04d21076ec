package dev.nodepath.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.access.BearerToken;
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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.StreamSupport;

/**
 * The API server of a cluster of containers: only over TLS, and only with the token of a ServiceAccount that has the
 * rights of its roles in the manifest. Objects are stored unchanged.
 */
final class ContainerApiServer implements AutoCloseable {
    static final String TOKEN = "token-of-nodepath";

    private static final int HISTORY_MAX = 10_000;
    private static final String DENIED = """
            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
            "message":"forbidden: %s","reason":"Forbidden","code":403}""";

    private final ObjectStore store = new ObjectStore(1, HISTORY_MAX);
    private final List<String> denied = new CopyOnWriteArrayList<>();
    private final AccessRules rules;
    private final ApiServer server;

    /** Serves on every address. */
    ContainerApiServer(int port, Tls tls, AccessRules rules) throws IOException {
        this.rules = rules;
        put(Resources.NAMESPACES, "{\"metadata\":{\"name\":\"default\"}}");
        // Rules accept the names of a definition; without that the kind is not served.
        new ClusterApi(store, new ClusterRules(store), InstantSource.system())
                .create(Resources.CUSTOM_RESOURCE_DEFINITIONS, ClusterPolicyDefinition.definition());
        server = new ApiServer(
                new ClusterApi(store, ObjectRules.NONE, InstantSource.system()),
                ObjectSchema.NONE,
                PodStreams.NONE,
                Optional.of(() -> ApiServer.engine(tls.context())),
                api -> new TokenCheck(request -> permitted(request, api), new BearerToken(TOKEN)));
        server.listen(new InetSocketAddress(port));
    }

    /** Adds or changes an object, given as JSON. */
    void put(Resource resource, String json) throws IOException {
        store.put(
                resource,
                Json.MAPPER
                        .createObjectNode()
                        .put("apiVersion", resource.apiVersion())
                        .put("kind", resource.kind())
                        .setAll((ObjectNode) Json.MAPPER.readTree(json)));
    }

    void deleteNode(String name) {
        store.remove(Resources.NODES, new ObjectKey("", name));
    }

    /** Requests that no role permits. */
    List<String> denied() {
        return List.copyOf(denied);
    }

    /** The condition {@code NetworkUnavailable} of each Node that has one. */
    Map<String, String> conditions() {
        Map<String, String> conditions = new HashMap<>();
        for (JsonNode node : store.list(Resources.NODES, "").objects()) {
            StreamSupport.stream(node.at("/status/conditions").spliterator(), false)
                    .filter(condition -> condition.path("type").asText().equals("NetworkUnavailable"))
                    .forEach(condition ->
                            conditions.put(node.at("/metadata/name").asText(), condition.toString()));
        }
        return conditions;
    }

    @Override
    public void close() {
        server.close();
    }

    private ApiResponse permitted(ApiRequest request, RequestHandler api) {
        String asked = request.method() + " " + request.pathText();
        if (rules.permit(request.method(), request.pathText(), request.query().flag("watch"))) {
            return api.answer(request);
        }
        denied.add(asked);
        return new ApiResponse.Document(
                403, ApiResponse.JSON, DENIED.formatted(asked).getBytes(StandardCharsets.UTF_8));
    }
}
