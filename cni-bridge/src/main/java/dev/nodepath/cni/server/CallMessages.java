package dev.nodepath.cni.server;

import dev.nodepath.cni.protocol.CallOutcome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The messages between client and server, numbers in host byte order. {@code nodepath-bridge.c} is the other side.
 *
 * <ol>
 * <li>hello, from the server when it has room for a call: version (u32), then device and inode (u64 each) of the
 * network
 *       namespace that it works in. A client of another version or namespace leaves.
 * <li>request: version (u32), length of the environment (u32), device and inode (u64 each) of the client's root
 * directory,
 * the environment ({@code NAME=VALUE}, a zero byte behind each), standard input; with it the descriptor of the
 * container's
 *       namespace, unless there is none at the path that the runtime gave.
 * <li>reply: exit code (u32), length of standard output (u32), standard output, standard error; instead of it the
 * server may
 *       close the connection, and so leave the call to the client.
 * </ol>
 */
final class CallMessages {
    /** Changes with every change of these messages. */
    static final int VERSION = 2;

    /**
     * The largest request, in bytes: more than a unix socket carries in one message unless its buffers are enlarged.
     */
    static final int REQUEST_BYTES_MAX = 1 << 20;

    private static final int REQUEST_HEADER_BYTES = 24;

    private CallMessages() {}

    /** The hello of the server. */
    static byte[] hello(FileIdentity namespace) {
        return bytes(20)
                .putInt(VERSION)
                .putLong(namespace.device())
                .putLong(namespace.inode())
                .array();
    }

    /**
     * Reads a request.
     *
     * @throws FrameException if the bytes are no request
     */
    static CallRequest request(ByteBuffer frame) throws FrameException {
        if (frame.remaining() < REQUEST_HEADER_BYTES) {
            throw new FrameException(
                    "request: " + frame.remaining() + " bytes (expected: >= " + REQUEST_HEADER_BYTES + ")");
        }
        int version = frame.getInt();
        if (version != VERSION) {
            throw new FrameException("request version: " + version + " (expected: " + VERSION + ")");
        }
        int environmentBytes = frame.getInt();
        FileIdentity root = new FileIdentity(frame.getLong(), frame.getLong());
        if (environmentBytes < 0 || environmentBytes > frame.remaining()) {
            throw new FrameException("request environment: " + environmentBytes + " bytes (expected: at most "
                    + frame.remaining() + ")");
        }
        byte[] environment = new byte[environmentBytes];
        frame.get(environment);
        return new CallRequest(variables(environment), frame.slice(), root);
    }

    static byte[] reply(CallOutcome outcome) {
        byte[] stdout = outcome.stdout().getBytes(StandardCharsets.UTF_8);
        byte[] stderr = outcome.stderr().getBytes(StandardCharsets.UTF_8);
        return bytes(8 + stdout.length + stderr.length)
                .putInt(outcome.exitCode())
                .putInt(stdout.length)
                .put(stdout)
                .put(stderr)
                .array();
    }

    private static Map<String, String> variables(byte[] environment) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String pair : new String(environment, StandardCharsets.UTF_8).split("\0", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                variables.put(pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        return variables;
    }

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }
}
