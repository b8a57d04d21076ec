package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.StreamProtocol;
import dev.nodepath.apiserver.request.StreamSession;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Agrees with a client on the protocol of a session's streams. */
final class StreamUpgrade {
    private static final String SPDY = "SPDY/3.1";
    private static final String WEBSOCKET = "websocket";
    private static final String WEBSOCKET_VERSION = "13";
    /** RFC 6455, section 1.3. */
    private static final String WEBSOCKET_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private StreamUpgrade() {}

    /**
     * The answer that begins the streams.
     *
     * @throws StatusException with 400 if the request offers no known protocol
     */
    static ApiResponse answer(ApiRequest request, StreamSession session) {
        String upgrade = request.header("upgrade");
        if (upgrade.equalsIgnoreCase(SPDY)) {
            return spdy(request, session);
        }
        if (upgrade.equalsIgnoreCase(WEBSOCKET)) {
            return webSocket(request, session);
        }
        throw StatusException.badRequest("Upgrade request required: " + SPDY + " or " + WEBSOCKET);
    }

    private static ApiResponse spdy(ApiRequest request, StreamSession session) {
        String chosen = choose(request, "x-stream-protocol-version", List.of(session.protocol()));
        return upgrade(session, StreamProtocol.SPDY, SPDY, Map.of("X-Stream-Protocol-Version", chosen));
    }

    private static ApiResponse webSocket(ApiRequest request, StreamSession session) {
        String key = request.header("sec-websocket-key");
        if (key.isEmpty() || !request.header("sec-websocket-version").equals(WEBSOCKET_VERSION)) {
            throw StatusException.badRequest("Sec-WebSocket-Key and Sec-WebSocket-Version " + WEBSOCKET_VERSION
                    + " expected, was \"" + key + "\" and \"" + request.header("sec-websocket-version") + "\"");
        }
        String tunnel = SPDY + "+" + session.protocol();
        List<String> known = session.channelProtocol().map(List::of).orElse(List.of(tunnel));
        String chosen = choose(request, "sec-websocket-protocol", known);
        return upgrade(
                session,
                chosen.equals(tunnel) ? StreamProtocol.SPDY_IN_WEBSOCKET : StreamProtocol.WEBSOCKET_CHANNELS,
                WEBSOCKET,
                Map.of("Sec-WebSocket-Protocol", chosen, "Sec-WebSocket-Accept", accept(key)));
    }

    private static ApiResponse upgrade(
            StreamSession session, StreamProtocol protocol, String name, Map<String, String> more) {
        Map<String, String> headers = new LinkedHashMap<>(Map.of("Connection", "Upgrade", "Upgrade", name));
        headers.putAll(more);
        return new ApiResponse.Upgrade(session, protocol, headers);
    }

    private static String choose(ApiRequest request, String header, List<String> known) {
        List<String> offered = List.of(request.header(header).replace(" ", "").split(",", -1));
        return known.stream()
                .filter(offered::contains)
                .findFirst()
                .orElseThrow(() -> StatusException.badRequest("unable to upgrade: no protocol of " + offered
                        + " is known, expected " + String.join(" or ", known)));
    }

    private static String accept(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1")
                    .digest((key + WEBSOCKET_MAGIC).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-1", e);
        }
    }
}
