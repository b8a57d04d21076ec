package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A request to a {@link FakeApiServer}, with its decoded parameters; token is the whole Authorization header, accept the Accept header. */
public record FakeRequest(String path, Map<String, String> parameters, String token, String accept, long nanos) {

    static FakeRequest of(HttpExchange exchange) {
        Map<String, String> parameters = new HashMap<>();
        String query = exchange.getRequestURI().getRawQuery();
        for (String pair : query == null ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            parameters.put(
                    pair.substring(0, equals), URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        String token = exchange.getRequestHeaders().getFirst("Authorization");
        String accept = exchange.getRequestHeaders().getFirst("Accept");
        return new FakeRequest(
                exchange.getRequestURI().getPath(),
                Map.copyOf(parameters),
                token == null ? "" : token,
                accept == null ? "" : accept,
                System.nanoTime());
    }

    /** Whether it is a list of all objects; one of a single object only asks how the server is. */
    public boolean isList() {
        return FakeApiServer.KINDS.containsKey(path)
                && !isWatch()
                && !parameter("limit").equals("1");
    }

    /** Whether it is a watch. */
    public boolean isWatch() {
        return parameters.containsKey("watch");
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }

    long number(String name, long otherwise) {
        return parameter(name).isEmpty() ? otherwise : Long.parseLong(parameter(name));
    }

    /** Whether its selectors take an object. */
    boolean selects(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        String field = parameter("fieldSelector");
        if (!field.isEmpty()
                && !field.equals("metadata.name=" + metadata.path("name").asText())) {
            return false;
        }
        JsonNode labels = metadata.path("labels");
        for (String term : parameter("labelSelector").split(",", -1)) {
            int equals = term.indexOf('=');
            boolean holds = term.isEmpty()
                    || (term.startsWith("!")
                            ? !labels.has(term.substring(1))
                            : labels.path(term.substring(0, equals)).asText("").equals(term.substring(equals + 1)));
            if (!holds) {
                return false;
            }
        }
        return true;
    }
}
