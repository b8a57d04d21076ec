package dev.nodepath.cni.server;

import dev.nodepath.linux.io.UnixConnection;
import dev.nodepath.linux.io.UnixConnection.Message;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The client's side of the messages, for a test. */
final class Messages {
    static final int BYTES_MAX = 1 << 20;

    /** The client's root directory. */
    static final FileIdentity ROOT = new FileIdentity(11, 12);

    private Messages() {}

    static byte[] request(int version, String environment, String stdin) {
        return frame(version, environment.getBytes(StandardCharsets.UTF_8).length, environment + stdin);
    }

    static byte[] frame(int version, int environmentBytes, String rest) {
        byte[] bytes = rest.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(24 + bytes.length)
                .order(ByteOrder.nativeOrder())
                .putInt(version)
                .putInt(environmentBytes)
                .putLong(ROOT.device())
                .putLong(ROOT.inode())
                .put(bytes)
                .array();
    }

    /** The answer as one text, {@code EXIT-CODE STDOUT STDERR}; empty if the server has closed without one. */
    static Optional<String> answer(UnixConnection connection) throws Exception {
        Optional<Message> message = connection.receive(BYTES_MAX);
        if (message.isEmpty()) {
            return Optional.empty();
        }
        ByteBuffer content = message.get().content();
        int exitCode = content.getInt();
        byte[] stdout = new byte[content.getInt()];
        content.get(stdout);
        byte[] stderr = new byte[content.remaining()];
        content.get(stderr);
        return Optional.of(exitCode + " " + new String(stdout, StandardCharsets.UTF_8) + " "
                + new String(stderr, StandardCharsets.UTF_8));
    }
}
