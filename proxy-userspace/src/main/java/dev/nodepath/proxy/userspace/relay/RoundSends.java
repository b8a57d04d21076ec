package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.io.SendBatch;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The small writes of one round of an event loop. One system call makes them all, after the round's reads. Without
 * io_uring each write is a call of its own. All calls are made on the loop.
 */
final class RoundSends {
    private static final Logger LOG = LoggerFactory.getLogger(RoundSends.class);

    /** When a batch is full, the other writes of the round are single calls. */
    private static final int SENDS_MAX = 64;

    /** Each write is copied once more. A longer one is a single call. */
    private static final int BYTES_MAX = 4096;

    private final Executor loop;
    private final RelayMetrics metrics;
    private final @Nullable Side[] sides = new Side[SENDS_MAX];

    /** Stored, because a round allocates nothing. */
    private final Runnable endOfRound = this::send;

    private @Nullable SendBatch batch;
    private boolean sending;

    /**
     * The writes of an event loop.
     *
     * @param loop runs a task after the events of a round
     * @param batch null if each write is a call of its own
     */
    RoundSends(Executor loop, @Nullable SendBatch batch, RelayMetrics metrics) {
        this.loop = loop;
        this.batch = batch;
        this.metrics = metrics;
    }

    /** A batch; null if the kernel gives none. */
    static @Nullable SendBatch openBatch() {
        try {
            return SendBatch.open(SENDS_MAX, BYTES_MAX);
        } catch (LinuxNetException e) {
            logSingleCalls(e);
            return null;
        }
    }

    private static void logSingleCalls(LinuxNetException cause) {
        LOG.atInfo().addKeyValue("error", cause.getMessage()).log("relay.sends_not_batched");
    }

    /** Whether a write of this many bytes can be added. */
    boolean takes(int bytes) {
        // During the results a write would overwrite a slot that is still to be read.
        return batch != null && !sending && batch.takes(bytes);
    }

    /**
     * Adds a write. {@link Side#sent} gets its result. Call {@link #takes} before.
     *
     * @return its slot
     */
    int add(Side side, ByteBuffer bytes, int count) {
        SendBatch sends = Objects.requireNonNull(batch);
        if (sends.size() == 0) {
            loop.execute(endOfRound);
        }
        int slot = sends.add(side.fd().intValue(), bytes, count);
        sides[slot] = side;
        return slot;
    }

    /** Takes a write out, because its socket is about to be closed. A new socket may get the number. */
    void cancel(int slot) {
        if (batch != null) {
            batch.cancel(slot);
        }
    }

    private void send() {
        SendBatch sends = batch;
        if (sends == null) {
            return;
        }
        sending = true;
        LinuxNetException failure = null;
        long bytes = 0;
        try {
            failure = tryAll(sends);
            for (int slot = 0; slot < sends.size(); slot++) {
                Side side = Objects.requireNonNull(sides[slot]);
                sides[slot] = null;
                bytes += sends.taken(slot);
                side.sent(sends, slot);
            }
        } finally {
            sending = false;
            sends.clear();
            if (failure != null) {
                close();
            }
        }
        metrics.add(RelayCount.BYTES_BATCHED, bytes);
        if (failure != null) {
            logSingleCalls(failure);
        }
    }

    /** Returns why the kernel makes no more batches, or null. */
    private static @Nullable LinuxNetException tryAll(SendBatch sends) {
        try {
            sends.send();
            return null;
        } catch (LinuxNetException e) {
            return e;
        }
    }

    /** Frees the batch. All sides are closed. */
    void close() {
        if (batch != null) {
            batch.close();
            batch = null;
        }
    }
}
