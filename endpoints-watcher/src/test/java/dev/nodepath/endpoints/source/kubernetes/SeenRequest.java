package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.apiserver.request.ApiRequest;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A request that a {@link TestApiServer} got.
 *
 * @param path without parameters
 * @param parameters decoded
 * @param token the whole header Authorization
 * @param accept the header Accept
 * @param nanos when it came, {@link System#nanoTime}
 */
public record SeenRequest(String path, Map<String, String> parameters, String token, String accept, long nanos) {

    static SeenRequest of(ApiRequest request) {
        return new SeenRequest(
                request.pathText(),
                request.query().parameters().keySet().stream()
                        .collect(Collectors.toUnmodifiableMap(
                                name -> name, name -> request.query().text(name))),
                request.header("authorization"),
                request.header("accept"),
                System.nanoTime());
    }

    /** Whether it is a list of all objects; a list of a single object only asks for the server's health. */
    public boolean isList() {
        return TestApiServer.KINDS.containsKey(path)
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
}
