package dev.nodepath.apiserver.request;

/** How a connection carries the streams of a session. */
public enum StreamProtocol {
    /** SPDY/3.1 frames. */
    SPDY,
    /** SPDY/3.1 frames within the binary messages of a WebSocket. */
    SPDY_IN_WEBSOCKET,
    /** A WebSocket whose messages begin with a stream's number. */
    WEBSOCKET_CHANNELS
}
