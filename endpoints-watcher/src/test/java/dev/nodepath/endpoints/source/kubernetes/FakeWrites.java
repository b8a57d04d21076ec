package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.nodepath.endpoints.source.kubernetes.client.ServerVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a {@link FakeApiServer} does besides lists and watches: discovery, single Nodes, their status, and Events. */
final class FakeWrites {
    private static final ObjectMapper JSON = new ObjectMapper();
    static final String NOT_FOUND = """
            {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
            "message":"the server could not find the requested resource","reason":"NotFound","code":404}""";

    private static final String VERSION = """
            {"major":"1","minor":"36","gitVersion":"v1.36.2","gitCommit":"abc","gitTreeState":"clean",\
            "buildDate":"2026-06-01T00:00:00Z","goVersion":"go1.26.1","compiler":"gc","platform":"linux/amd64"}""";

    private static final String NODE = FakeApiServer.NODES + "/";
    private static final String STATUS = "/status";

    private final FakeStore store;
    private final List<String> events = new ArrayList<>();

    FakeWrites(FakeStore store) {
        this.store = store;
    }

    /** The bodies of all Events that were created. */
    synchronized List<String> events() {
        return List.copyOf(events);
    }

    /** The answer to such a request; empty if it is another one, or about a Node that is not there. */
    Optional<String> answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String body = new String(exchange.getRequestBody().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        String type = String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type"));
        return switch (exchange.getRequestMethod()) {
            case "GET" ->
                path.equals(ServerVersion.PATH)
                        ? Optional.of(VERSION)
                        : path.startsWith(NODE) ? node(path.substring(NODE.length())) : Optional.empty();
            case "POST" -> path.equals(FakeApiServer.EVENTS) ? Optional.of(create(body)) : Optional.empty();
            case "PATCH" ->
                path.startsWith(NODE) && path.endsWith(STATUS) && type.equals("application/strategic-merge-patch+json")
                        ? patch(path.substring(NODE.length(), path.length() - STATUS.length()), body)
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private Optional<String> node(String name) {
        return store.get(FakeApiServer.NODES, "", name).map(FakeStore.Stored::text);
    }

    private synchronized String create(String body) throws IOException {
        JsonNode event = JSON.readTree(body);
        for (String required : List.of("eventTime", "reportingController", "reportingInstance", "action", "reason")) {
            if (event.path(required).asText("").isEmpty()) {
                throw new IOException("event without " + required);
            }
        }
        events.add(body);
        return body;
    }

    /** Conditions are merged by their type. */
    private Optional<String> patch(String name, String body) throws IOException {
        Optional<FakeStore.Stored> stored = store.get(FakeApiServer.NODES, "", name);
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode node = stored.get().tree().deepCopy();
        ArrayNode conditions = node.withObject("/status").withArray("/conditions");
        for (JsonNode change : JSON.readTree(body).path("status").path("conditions")) {
            for (int i = conditions.size() - 1; i >= 0; i--) {
                if (conditions.get(i).path("type").equals(change.path("type"))) {
                    conditions.remove(i);
                }
            }
            if (!change.path("$patch").asText("").equals("delete")) {
                conditions.add(change);
            }
        }
        store.put(FakeApiServer.NODES, node);
        return Optional.of(node.toString());
    }

    /** That EndpointSlices are served in a version. */
    static String slicesOf(String version) {
        return """
                {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"discovery.k8s.io/%s","resources":[\
                {"name":"endpointslices","singularName":"endpointslice","namespaced":true,"kind":"EndpointSlice",\
                "verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}]}""".formatted(version);
    }
}
