package dev.nodepath.endpoints.source.kubernetes;

import io.fabric8.kubernetes.client.http.AsyncBody;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, as a stream with a read timeout. The JDK's client has no such limit. A chunk is requested
 * only after the previous one is read, so at most one waits. Not thread-safe.
 */
public final class BodyStream extends InputStream {
    private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    private final Duration silence;
    private @Nullable AsyncBody body;
    private ByteBuffer current = ByteBuffer.allocate(0);
    private List<ByteBuffer> following = List.of();
    private boolean ended;

    /** A chunk of bytes. No bytes mean the end, or a failure if there is a cause. */
    private record Arrival(List<ByteBuffer> bytes, @Nullable Throwable failure) {}

    BodyStream(Duration silence) {
        this.silence = silence;
    }

    /** Takes bytes from the client's thread. */
    void arrived(List<ByteBuffer> bytes) {
        arrivals.add(new Arrival(bytes, null));
    }

    /** Starts the body. No chunk comes before. */
    void open(AsyncBody opened) {
        body = opened;
        var unused = opened.done().whenComplete((nothing, failure) -> arrivals.add(new Arrival(List.of(), failure)));
    }

    @Override
    public int read() throws IOException {
        return fill() ? current.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, current.remaining());
        current.get(into, offset, count);
        return count;
    }

    /**
     * The next line without its end; empty at the end of the body.
     *
     * @throws EOFException if the body ends within a line
     * @throws IOException if the line is longer than the limit, or as reading does
     */
    public Optional<byte[]> readLine(int maxBytes) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (fill()) {
            int start = current.position();
            int end = start;
            while (end < current.limit() && current.get(end) != '\n') {
                end++;
            }
            boolean whole = end < current.limit();
            byte[] part = new byte[end - start];
            current.get(part);
            line.writeBytes(part);
            if (line.size() > maxBytes) {
                throw new IOException("line of more than " + maxBytes + " bytes");
            }
            if (whole) {
                current.get();
                return Optional.of(line.toByteArray());
            }
        }
        if (line.size() > 0) {
            throw new EOFException("cut in the middle of a line");
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        ended = true;
        if (body != null) {
            body.cancel();
        }
    }

    /** Makes sure that there is a byte to read; false at the end. */
    private boolean fill() throws IOException {
        while (!current.hasRemaining()) {
            if (!following.isEmpty()) {
                current = following.get(0);
                following = following.subList(1, following.size());
            } else if (ended || body == null) {
                return false;
            } else {
                await(body);
            }
        }
        return true;
    }

    private void await(AsyncBody from) throws IOException {
        from.consume();
        Arrival arrival;
        try {
            arrival = arrivals.poll(silence.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
        if (arrival == null) {
            close();
            throw new IOException("silent for " + silence.toMillis() + " ms");
        }
        if (arrival.failure != null) {
            ended = true;
            throw new IOException("cut: " + ApiClient.explain(arrival.failure), arrival.failure);
        }
        if (arrival.bytes.isEmpty()) {
            ended = true;
        }
        following = arrival.bytes;
    }
}
