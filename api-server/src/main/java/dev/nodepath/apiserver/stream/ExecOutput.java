package dev.nodepath.apiserver.stream;

/** Takes the output of a command. A call waits while the client is slow; it throws nothing. */
public interface ExecOutput {
    /** The command has written output. */
    void stdout(byte[] octets);

    /** The command has written errors. */
    void stderr(byte[] octets);

    /** The command ended with this code. Nothing follows. */
    void exited(int code);

    /** The command could not be run, or its end is not known. Nothing follows. */
    void failed(String why);
}
