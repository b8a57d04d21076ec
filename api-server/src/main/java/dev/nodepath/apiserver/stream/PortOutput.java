package dev.nodepath.apiserver.stream;

/** Takes what a pod's port sends. A call waits while the client is slow. */
public interface PortOutput {
    /** The pod sent this. */
    void receive(byte[] octets);

    /** The pod sends nothing more. */
    void ended();

    /** The connection failed. Nothing follows. */
    void failed(String why);
}
