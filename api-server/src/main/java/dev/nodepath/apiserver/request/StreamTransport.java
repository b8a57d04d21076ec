package dev.nodepath.apiserver.request;

/** A connection that carries several streams. Methods are thread-safe; after the connection's end they do nothing. */
public interface StreamTransport {
    /** Sends on a stream. Waits while the client is slow. */
    void send(int stream, byte[] octets);

    /** Nothing more is sent on a stream. */
    void end(int stream);

    /** Ends the connection when all is sent. */
    void close();
}
