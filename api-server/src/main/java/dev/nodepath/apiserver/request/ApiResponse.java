package dev.nodepath.apiserver.request;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** An answer. */
public sealed interface ApiResponse {
    /** The type of JSON. */
    String JSON = "application/json";

    /**
     * A whole body.
     *
     * @param code of HTTP
     * @param contentType of the body
     * @param body not to be changed
     * @param warnings each becomes a header {@code Warning: 299 - "..."}
     * @param headers further ones
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Document(int code, String contentType, byte[] body, List<String> warnings, Map<String, String> headers)
            implements ApiResponse {
        public Document {
            warnings = List.copyOf(warnings);
            headers = Map.copyOf(headers);
        }

        /** Without further headers. */
        public Document(int code, String contentType, byte[] body, List<String> warnings) {
            this(code, contentType, body, warnings, Map.of());
        }

        /** Without warnings. */
        public Document(int code, String contentType, byte[] body) {
            this(code, contentType, body, List.of());
        }
    }

    /**
     * A body that is made while it is sent, so it is never completely in memory.
     *
     * @param contentType of the body
     * @param pieces in order
     */
    record Pieces(String contentType, Iterator<byte[]> pieces) implements ApiResponse {}

    /**
     * A body that continues until its source or the client ends it.
     *
     * @param contentType of the body
     * @param source of its pieces
     */
    record Stream(String contentType, PieceSource source) implements ApiResponse {}

    /**
     * The connection changes to a protocol of several streams.
     *
     * @param session uses the streams
     * @param protocol of the streams
     * @param headers of the answer that announces the change
     */
    record Upgrade(StreamSession session, StreamProtocol protocol, Map<String, String> headers) implements ApiResponse {
        public Upgrade {
            headers = Map.copyOf(headers);
        }
    }
}
