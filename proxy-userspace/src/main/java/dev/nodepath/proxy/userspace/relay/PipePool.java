package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.io.PipeCapacity;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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

    /** A refusal may be temporary: other programs of the user may give back pipes. A try costs system calls. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Deque<Pipe> free = new ArrayDeque<>();
    private final int max;
    private final LongSupplier nanoTime;
    private final Opener opener;
    private int open;
    private boolean refused;
    private long refusedAtNanos;

    /** Opens pipes. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens a pipe of a pool.
         *
         * @throws IOException if the kernel gives none
         */
        Pipe open(PipePool pool) throws IOException;
    }

    /** A pool of at most this many pipes. They are opened when they are needed. */
    PipePool(int max, LongSupplier nanoTime) {
        this(max, nanoTime, opener(CAPACITY));
    }

    PipePool(int max, LongSupplier nanoTime, Opener opener) {
        this.max = max;
        this.nanoTime = nanoTime;
        this.opener = opener;
    }

    /** Opens pipes of this capacity, in bytes. */
    static Opener opener(int capacity) {
        PipeCapacity capacities = PipeCapacity.load();
        return pool -> Pipe.open(pool, capacities, capacity);
    }

    /** An empty pipe; null if all are in use, or the kernel gives no more. */
    @Nullable
    Pipe take() {
        Pipe pipe = free.poll();
        return pipe != null || open >= max || isPaused() ? pipe : open();
    }

    private boolean isPaused() {
        return refused && nanoTime.getAsLong() - refusedAtNanos < PAUSE_NANOS;
    }

    private @Nullable Pipe open() {
        try {
            Pipe pipe = opener.open(this);
            open++;
            refused = false;
            return pipe;
        } catch (IOException e) {
            if (!refused) {
                LOG.atInfo()
                        .addKeyValue("pipes", open)
                        .addKeyValue("error", e.getMessage())
                        .log("relay.pipes_limited");
            }
            refused = true;
            refusedAtNanos = nanoTime.getAsLong();
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

    /** Closes the unused pipes. */
    void close() {
        open -= free.size();
        free.forEach(Pipe::close);
        free.clear();
    }
}
