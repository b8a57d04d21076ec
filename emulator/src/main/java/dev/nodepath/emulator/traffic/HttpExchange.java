package dev.nodepath.emulator.traffic;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One slot of a {@link HttpLoad}: a connection with one request at a time. Where each request has its own connection,
 * the server closes it first, so that TIME_WAIT does not use up the client's ports.
 */
final class HttpExchange {
    private static final int ANSWER_BYTES_MAX = 4 * 1024;
    /** After this many errors in a row the slot rests, so that a broken target causes no busy loop. */
    private static final int ERRORS_IN_A_ROW_MAX = 100;

    private final InetSocketAddress target;
    private final boolean keepAlive;
    private final Selector selector;
    private final Histogram latency;
    private final byte[] request;
    private final ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES_MAX);

    private @Nullable SocketChannel channel;
    private long startNanos;
    private boolean answered;
    private boolean finishing;
    private long errors;
    private int errorsInARow;
    private String firstError = "";

    HttpExchange(InetSocketAddress target, boolean keepAlive, Selector selector, Histogram latency) {
        this.target = target;
        this.keepAlive = keepAlive;
        this.selector = selector;
        this.latency = latency;
        this.request = ("GET / HTTP/1.1\r\nHost: " + target.getHostString() + "\r\n"
                        + (keepAlive ? "" : "Connection: close\r\n") + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    long errors() {
        return errors;
    }

    /** The first error; empty if there was none. */
    String firstError() {
        return firstError;
    }

    /** Makes the pending request the last one and does not count it. */
    void finish() {
        finishing = true;
    }

    /** Whether a request is under way. */
    boolean isBusy() {
        return !answered && channel != null && channel.isOpen();
    }

    /** Opens a new connection; the request follows when it is connected. */
    void connect() throws IOException {
        SocketChannel opened = SocketChannel.open();
        channel = opened;
        answered = false;
        answer.clear();
        opened.configureBlocking(false);
        opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
        startNanos = System.nanoTime();
        try {
            opened.connect(target);
            opened.register(selector, SelectionKey.OP_CONNECT, this);
        } catch (IOException e) {
            fail(e);
        }
    }

    /** Handles a ready channel. */
    void proceed(SelectionKey key) {
        SocketChannel current = (SocketChannel) key.channel();
        try {
            if (key.isConnectable()) {
                current.finishConnect();
                key.interestOps(SelectionKey.OP_READ);
                send(current);
            } else if (key.isReadable()) {
                receive(current);
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    void close() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // A socket that cannot be closed is already gone.
                channel = null;
            }
        }
    }

    /** Sends the request at once: it is far smaller than any send buffer. */
    private void send(SocketChannel current) throws IOException {
        if (keepAlive) {
            startNanos = System.nanoTime();
        }
        if (current.write(ByteBuffer.wrap(request)) != request.length) {
            throw new IOException("short write of a request");
        }
    }

    private void receive(SocketChannel current) throws IOException {
        int read = current.read(answer);
        if (read < 0) {
            close();
            if (!answered) {
                fail(new EOFException("closed without an answer"));
            } else if (!finishing) {
                connect();
            }
            return;
        }
        if (!answered && isComplete()) {
            if (finishing) {
                close();
                return;
            }
            latency.recordValue(System.nanoTime() - startNanos);
            errorsInARow = 0;
            if (keepAlive) {
                answer.clear();
                send(current);
            } else {
                answered = true;
            }
        }
    }

    private boolean isComplete() throws IOException {
        int bytes = HttpAnswer.bytes(answer);
        if (bytes > 0 && answer.position() >= bytes) {
            return true;
        }
        if (!answer.hasRemaining()) {
            throw new IOException("answer of more than " + ANSWER_BYTES_MAX + " bytes");
        }
        return false;
    }

    private void fail(IOException error) {
        errors++;
        if (firstError.isEmpty()) {
            firstError = String.valueOf(error.getMessage());
        }
        close();
        if (!finishing && ++errorsInARow < ERRORS_IN_A_ROW_MAX) {
            try {
                connect();
            } catch (IOException e) {
                errors++;
            }
        }
    }
}
