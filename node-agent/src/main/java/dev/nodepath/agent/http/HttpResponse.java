package dev.nodepath.agent.http;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An answer.
 *
 * @param headers the headers besides those of every answer
 * @param body sent as UTF-8
 */
public record HttpResponse(int status, Map<String, String> headers, String body) {
    public HttpResponse {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** An answer in plain text, with the headers of Go's and Kubernetes' servers. */
    public static HttpResponse text(int status, String body) {
        return of(status, "text/plain; charset=utf-8", body);
    }

    /** An answer in JSON. */
    public static HttpResponse json(int status, String body) {
        return of(status, "application/json", body);
    }

    /** An answer of some type. */
    public static HttpResponse of(int status, String contentType, String body) {
        return new HttpResponse(status, Map.of("Content-Type", contentType, "X-Content-Type-Options", "nosniff"), body);
    }

    /** A copy of this response with one more header. */
    public HttpResponse with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new HttpResponse(status, more, body);
    }
}
