package dev.nodepath.apiserver.request;

/** A connection that carries several streams. Methods are thread-safe; after the connection's end they do nothing. */
public interface StreamTransport {
    /** Sends on a stream. Waits while the client is slow. */
    void send(int stream, byte[] octets);

    /** Ends the output of a stream. */
    void end(int stream);

    /** Ends the connection once all output is sent. */
    void close();
}
