package dev.nodepath.apiserver.request;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A request with its whole body.
 *
 * @param method such as {@code GET}
 * @param path the decoded segments of the path
 * @param query its parameters
 * @param headers the values of each, by name in lower case
 * @param body its octets; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record ApiRequest(
        String method, List<String> path, Query query, Map<String, List<String>> headers, byte[] body) {
    public ApiRequest {
        path = List.copyOf(path);
        headers = Map.copyOf(headers);
    }

    /** The values of a header with commas between them, or an empty text. */
    public String header(String name) {
        return String.join(",", headers(name));
    }

    /** The values of a header, in the order they came. */
    public List<String> headers(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }

    /** The media type of the body without its parameters, in lower case; JSON without a header. */
    public String contentType() {
        String type = header("content-type");
        int end = type.indexOf(';');
        String plain = (end < 0 ? type : type.substring(0, end)).trim().toLowerCase(Locale.ROOT);
        return plain.isEmpty() ? "application/json" : plain;
    }

    /**
     * The manager of changed fields, for {@code managedFields}: the parameter, or the first word of the client's name.
     */
    public String fieldManager() {
        String named = query.text("fieldManager");
        if (!named.isEmpty()) {
            return named;
        }
        String agent = header("user-agent");
        int end = agent.indexOf('/');
        return end > 0 ? agent.substring(0, end) : agent.isEmpty() ? "unknown" : agent;
    }

    /** The path as text. */
    public String pathText() {
        return "/" + String.join("/", path);
    }
}
