package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.apiserver.request.ApiResponse;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An answer in place of the right one.
 *
 * @param path of the requests that it takes
 * @param watches whether it replaces watches, else lists and Events. A 403 also replaces answers about one object
 * @param code of HTTP; 0 cuts the connection in the middle of the answer
 * @param body the replacement
 * @param retryAfter the header
 */
record AnswerFault(String path, boolean watches, int code, String body, Optional<String> retryAfter) {
    /** A connection joins smaller pieces before it writes them. */
    private static final int WRITTEN_ALONE = 16 * 1024;

    boolean takes(SeenRequest request) {
        return path.equals(request.path())
                && (watches
                        ? request.isWatch()
                        : !request.isWatch() && (request.isList() || code == 403 || path.equals(TestApiServer.EVENTS)));
    }

    ApiResponse answer() {
        if (code > 0) {
            return new ApiResponse.Document(
                    code,
                    ApiResponse.JSON,
                    body.getBytes(StandardCharsets.UTF_8),
                    List.of(),
                    retryAfter.map(after -> Map.of("Retry-After", after)).orElse(Map.of()));
        }
        Iterator<byte[]> half = List.of(padded(body)).iterator();
        return new ApiResponse.Pieces(ApiResponse.JSON, new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            /** The server cuts the connection of an answer that fails. */
            @Override
            public byte[] next() {
                return half.next();
            }
        });
    }

    /** With so many spaces that it is sent before the next piece is asked for. */
    static byte[] padded(String text) {
        return (" ".repeat(WRITTEN_ALONE) + text).getBytes(StandardCharsets.UTF_8);
    }
}
