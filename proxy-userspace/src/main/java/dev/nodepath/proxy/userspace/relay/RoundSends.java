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

    /** A full batch makes the rest of a round's writes single ones. */
    private static final int SENDS_MAX = 64;

    /** More bytes cost more than the call. */
    private static final int BYTES_MAX = 4096;

    private final Executor loop;
    private final RelayMetrics metrics;
    private final Opener opener;
    private final Side[] sides = new Side[SENDS_MAX];

    /** Stored, because a round allocates nothing. */
    private final Runnable endOfRound = this::send;

    private @Nullable SendBatch batch;
    private boolean refused;
    private boolean sending;

    /** Opens a batch. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens one with slots for this many sends of this many bytes.
         *
         * @throws LinuxNetException if the kernel gives none
         */
        SendBatch open(int slots, int slotBytes) throws LinuxNetException;
    }

    /**
     * The writes of an event loop.
     *
     * @param loop runs a task after the events of a round
     * @param opener is asked once, at the first write
     */
    RoundSends(Executor loop, Opener opener, RelayMetrics metrics) {
        this.loop = loop;
        this.opener = opener;
        this.metrics = metrics;
    }

    /** Takes no writes. */
    static RoundSends none(Executor loop, RelayMetrics metrics) {
        RoundSends none = new RoundSends(loop, SendBatch::open, metrics);
        none.refused = true;
        return none;
    }

    /** Whether a write of this many bytes can be added. */
    boolean takes(int bytes) {
        SendBatch sends = batch();
        return sends != null && !sending && sends.takes(bytes);
    }

    private @Nullable SendBatch batch() {
        if (batch == null && !refused) {
            try {
                batch = opener.open(SENDS_MAX, BYTES_MAX);
            } catch (LinuxNetException e) {
                refused = true;
                LOG.atInfo().addKeyValue("reason", e.getMessage()).log("relay.sends_not_batched");
            }
        }
        return batch;
    }

    /**
     * Adds a write that it takes. {@link Side#sent} gets the result soon.
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
        metrics.add(RelayCount.BYTES_BATCHED, count);
        return slot;
    }

    /** Takes a write out, because its socket is about to be closed. */
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
        sends.send();
        // A side that goes on may write again. The batch is still read then.
        sending = true;
        try {
            for (int slot = 0; slot < sends.size(); slot++) {
                sides[slot].sent(sends, slot);
            }
        } finally {
            sending = false;
            sends.clear();
        }
    }

    /** Frees the batch. No side writes any more. */
    void close() {
        refused = true;
        if (batch != null) {
            batch.close();
            batch = null;
        }
    }
}
