package dev.nodepath.apiserver.stream;

/** A connection to a pod's port, from its client's side. */
public interface PortConnection extends AutoCloseable {
    /** The client sent octets. The call may wait until the pod reads. */
    void send(byte[] octets);

    /** The client sends nothing more. */
    void closeInput();

    /** The client is gone. May be called twice. */
    @Override
    void close();
}
