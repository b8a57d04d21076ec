package dev.nodepath.page.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * An answer.
 *
 * @param status of HTTP
 * @param type of its body
 * @param body its octets, shared by answers to several readers
 * @param policy the Content-Security-Policy of the answer
 * @param headers the headers besides those of every answer
 */
record PageAnswer(int status, String type, ByteBuf body, String policy, Map<String, String> headers) {
    /** For all answers but the page itself: a browser must load nothing for them. */
    private static final String NOTHING = "default-src 'none'; frame-ancestors 'none'";

    static PageAnswer json(int status, String json) {
        return of(status, "application/json", json);
    }

    /** A JSON text on each line. */
    static PageAnswer jsonLines(String lines) {
        return of(200, "application/jsonl", lines);
    }

    /** An error as JSON, with one sentence. */
    static PageAnswer error(int status, String why) {
        return json(
                status, JsonNodeFactory.instance.objectNode().put("error", why).toString());
    }

    static PageAnswer page(int status, PageDocument document) {
        return new PageAnswer(status, "text/html; charset=utf-8", shared(document.html()), document.policy(), Map.of());
    }

    /** Sends a browser to another path. */
    static PageAnswer redirect(String path) {
        return of(303, "text/plain; charset=utf-8", "").with("location", path);
    }

    /** A copy with one header more. It shares the body. */
    PageAnswer with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new PageAnswer(status, type, body, policy, more);
    }

    FullHttpResponse response(boolean withBody) {
        int length = body.readableBytes();
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(status),
                withBody ? body.duplicate() : Unpooled.EMPTY_BUFFER);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type).setInt(HttpHeaderNames.CONTENT_LENGTH, length);
        headers.forEach((name, value) -> response.headers().set(name, value));
        secure(response.headers(), policy);
        return response;
    }

    private static PageAnswer of(int status, String type, String text) {
        return new PageAnswer(status, type, shared(text), NOTHING, Map.of());
    }

    private static ByteBuf shared(String text) {
        return Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)));
    }

    static void secureStream(HttpHeaders headers) {
        secure(headers, NOTHING);
    }

    private static void secure(HttpHeaders headers, String policy) {
        headers.set("content-security-policy", policy)
                .set("x-content-type-options", "nosniff")
                .set("referrer-policy", "no-referrer")
                .set("cross-origin-resource-policy", "same-origin")
                .set("cross-origin-opener-policy", "same-origin")
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    }
}
