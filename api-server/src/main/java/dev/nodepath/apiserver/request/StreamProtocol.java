package dev.nodepath.apiserver.request;

/** The framing of a session's streams on a connection. */
public enum StreamProtocol {
    /** SPDY/3.1 frames. */
    SPDY,
    /** SPDY/3.1 frames within the binary messages of a WebSocket. */
    SPDY_IN_WEBSOCKET,
    /** A WebSocket whose messages begin with a stream's number. */
    WEBSOCKET_CHANNELS
}
