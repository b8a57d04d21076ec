package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.io.PipeCapacity;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pipes of one event loop. A connection has one only while bytes are in it, so few are enough for many connections.
 * All calls are made on the loop.
 */
final class PipePool {
    private static final Logger LOG = LoggerFactory.getLogger(PipePool.class);

    /** The most that an unprivileged user may set ({@code fs.pipe-max-size}). */
    static final int CAPACITY = 1 << 20;

    private final PipeCapacity capacities = PipeCapacity.load();
    private final Deque<Pipe> free = new ArrayDeque<>();
    private final int capacity;
    private int max;
    private int open;

    /** A pool of at most this many pipes. They are opened when they are needed. */
    PipePool(int max) {
        this(max, CAPACITY);
    }

    /** A pool of pipes of this capacity, in bytes. */
    PipePool(int max, int capacity) {
        this.max = max;
        this.capacity = capacity;
    }

    /** An empty pipe; null if all are in use, or the kernel gives no more. */
    @Nullable
    Pipe take() {
        Pipe pipe = free.poll();
        return pipe != null || open >= max ? pipe : open();
    }

    private @Nullable Pipe open() {
        try {
            Pipe pipe = Pipe.open(this, capacities, capacity);
            open++;
            return pipe;
        } catch (IOException e) {
            // Each further try would cost system calls, and most would fail too.
            max = open;
            LOG.atInfo()
                    .addKeyValue("pipes", open)
                    .addKeyValue("error", e.getMessage())
                    .log("relay.pipes_limited");
            return null;
        }
    }

    /** Closes a pipe with bytes in it: they would go to another connection. */
    void giveBack(Pipe pipe) {
        if (pipe.isEmpty()) {
            free.push(pipe);
        } else {
            open--;
            pipe.close();
        }
    }

    /** Closes those that nobody uses. */
    void close() {
        open -= free.size();
        free.forEach(Pipe::close);
        free.clear();
    }
}
