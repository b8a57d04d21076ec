package dev.nodepath.apiserver.stream;

/** Takes the octets of a pod's port. A call waits while the client is slow. */
public interface PortOutput {
    /** The pod sent octets. */
    void receive(byte[] octets);

    /** The pod sends nothing more. */
    void ended();

    /** The connection failed. Nothing follows. */
    void failed(String why);
}
