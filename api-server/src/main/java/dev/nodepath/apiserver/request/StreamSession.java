package dev.nodepath.apiserver.request;

import java.util.Map;
import java.util.Optional;

/**
 * The use of a connection with several streams, after a request that asked for it. Calls come one after the other, on
 * a thread that may wait.
 */
public interface StreamSession {
    /** The clients' name for this use of streams, such as {@code v4.channel.k8s.io}. */
    String protocol();

    /** The name of its protocol over a WebSocket with numbered messages; empty if there is none. */
    default Optional<String> channelProtocol() {
        return Optional.empty();
    }

    /** The streams go over this from now on. */
    void begin(StreamTransport transport);

    /** The client has opened a stream with these headers; their names are in lower case. */
    void opened(int stream, Map<String, String> headers);

    /** The client has sent this on a stream. */
    void received(int stream, byte[] octets);

    /** The client sends nothing more on a stream. */
    void ended(int stream);

    /** The connection is gone. Called once, on another thread: a waiting call must end now. */
    void disconnected();
}
