package dev.nodepath.agent.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An answer; the connection ends with it.
 *
 * @param headers besides Content-Length and Connection
 * @param body sent as UTF-8
 */
public record HttpResponse(int status, Map<String, String> headers, String body) {
    private static final Map<Integer, String> REASONS = Map.of(
            200, "OK",
            400, "Bad Request",
            404, "Not Found",
            405, "Method Not Allowed",
            431, "Request Header Fields Too Large",
            500, "Internal Server Error",
            503, "Service Unavailable");

    /** Copies the headers. */
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
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", contentType);
        headers.put("X-Content-Type-Options", "nosniff");
        return new HttpResponse(status, headers, body);
    }

    /** The same with one more header. */
    public HttpResponse with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new HttpResponse(status, more, body);
    }

    /** What goes over the wire; without the body for HEAD. */
    byte[] toBytes(boolean withBody) {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder("HTTP/1.1 ")
                .append(status)
                .append(' ')
                .append(REASONS.getOrDefault(status, "Unknown"))
                .append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Length: ").append(content.length).append("\r\nConnection: close\r\n\r\n");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        if (withBody) {
            bytes.writeBytes(content);
        }
        return bytes.toByteArray();
    }
}
