package dev.nodepath.apiserver.stream;

/** A running command, from its client's side. */
public interface ExecProcess extends AutoCloseable {
    /** The client sent input. The call may wait until the command reads. */
    void stdin(byte[] octets);

    /** The client sends no further input. */
    void closeStdin();

    /** The client's terminal has this size now. */
    void resize(int columns, int rows);

    /** The client is gone. May be called twice. */
    @Override
    void close();
}
