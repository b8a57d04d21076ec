package dev.nodepath.apiserver.stream;

/** Takes what a command writes. A call waits while the client is slow; it throws nothing. */
public interface ExecOutput {
    /** The command wrote this. */
    void stdout(byte[] octets);

    /** The command wrote this as errors. */
    void stderr(byte[] octets);

    /** The command ended with this code. Nothing follows. */
    void exited(int code);

    /** The command could not be run, or its end is not known. Nothing follows. */
    void failed(String why);
}
