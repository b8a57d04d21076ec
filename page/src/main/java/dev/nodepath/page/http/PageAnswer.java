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

/**
 * An answer.
 *
 * @param status of HTTP
 * @param type of its body
 * @param body its octets, which answers to several readers share
 * @param policy the Content-Security-Policy that goes with it
 */
record PageAnswer(int status, String type, ByteBuf body, String policy) {
    /** For all but the page itself: a browser is to load nothing for it. */
    private static final String NOTHING = "default-src 'none'; frame-ancestors 'none'";

    static PageAnswer json(int status, String json) {
        return new PageAnswer(status, "application/json", shared(json), NOTHING);
    }

    /** A JSON text on each line. */
    static PageAnswer jsonLines(String lines) {
        return new PageAnswer(200, "application/jsonl", shared(lines), NOTHING);
    }

    /** An error as JSON, with one sentence. */
    static PageAnswer error(int status, String why) {
        return json(
                status, JsonNodeFactory.instance.objectNode().put("error", why).toString());
    }

    static PageAnswer page(PageDocument document) {
        return new PageAnswer(200, "text/html; charset=utf-8", shared(document.html()), document.policy());
    }

    FullHttpResponse response(boolean withBody) {
        int length = body.readableBytes();
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(status),
                withBody ? body.duplicate() : Unpooled.EMPTY_BUFFER);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type).setInt(HttpHeaderNames.CONTENT_LENGTH, length);
        secure(response.headers(), policy);
        return response;
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
