package dev.nodepath.bench.testbed;

import dev.nodepath.emulator.traffic.HttpAnswer;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A kept-alive connection of an {@link OpenLoop}, to a server whose answers are all equally long. */
final class OpenLoopConnection {
    private static final int ANSWER_BYTES_MAX = 4 * 1024;

    private final SocketChannel channel;
    private final ByteBuffer request;
    private final ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER_BYTES_MAX);
    private int answerBytes;
    private long dueNanos;
    private boolean busy;

    /** Connects, and asks once so that the length of an answer is known. */
    OpenLoopConnection(InetSocketAddress target, Selector selector) throws IOException {
        byte[] head =
                ("GET / HTTP/1.1\r\nHost: " + target.getHostString() + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        request = ByteBuffer.allocateDirect(head.length).put(head);
        channel = SocketChannel.open();
        try {
            channel.socket().connect(target, 5_000);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            write();
            answerBytes = firstAnswerBytes();
            answer.clear();
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    boolean isBusy() {
        return busy;
    }

    /** The time at which the current request was due. */
    long dueNanos() {
        return dueNanos;
    }

    /** Sends a request; no other may be under way. */
    void send(long due) throws IOException {
        dueNanos = due;
        busy = true;
        write();
    }

    /** Reads; true when the answer is complete. */
    boolean receive() throws IOException {
        if (channel.read(answer) < 0) {
            throw new EOFException("closed without an answer");
        }
        if (answer.position() < answerBytes) {
            return false;
        }
        // "HTTP/1.1 2": only an answer with status 2xx counts.
        if (answer.position() > answerBytes || answer.get(9) != '2') {
            throw new IOException("an answer of " + answer.position() + " bytes (expected: status 200 and "
                    + answerBytes + " bytes)");
        }
        answer.clear();
        busy = false;
        return true;
    }

    void close() {
        busy = false;
        try {
            channel.close();
        } catch (IOException e) {
            // A socket that cannot be closed is already gone.
            return;
        }
    }

    private void write() throws IOException {
        request.rewind();
        if (channel.write(request) != request.capacity()) {
            throw new IOException("short write of a request");
        }
    }

    private int firstAnswerBytes() throws IOException {
        while (true) {
            if (channel.read(answer) < 0) {
                throw new EOFException("closed without an answer");
            }
            int bytes = HttpAnswer.bytes(answer);
            if (bytes > 0 && answer.position() >= bytes) {
                return bytes;
            }
            if (!answer.hasRemaining()) {
                throw new IOException("answer of more than " + ANSWER_BYTES_MAX + " bytes");
            }
        }
    }
}
