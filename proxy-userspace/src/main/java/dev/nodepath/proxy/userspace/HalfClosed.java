package dev.nodepath.proxy.userspace;

import io.netty.channel.ChannelException;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks after a connection of which one side has ended its stream: ends it if nothing moves for too long, and breaks
 * it off if that side is reset afterwards. The transport does not tell the latter, as it no longer reads from there.
 */
final class HalfClosed implements Runnable {
    /** The first look comes soon, for short connections; then looks get rarer up to the longest time between two. */
    private static final long LOOK_MIN_MILLIS = 20;

    private static final long LOOK_MAX_MILLIS = 500;

    /** {@code TCP_CLOSE} of {@code include/net/tcp_states.h}. */
    private static final int TCP_CLOSE = 7;

    private final EventLoop loop;
    private final Connection connection;
    private final long lingerNanos;
    private long lookMillis = LOOK_MIN_MILLIS;
    private long movedBytes;
    private long movedAtNanos;
    private @Nullable Future<?> next;

    /** What is looked after. */
    interface Connection {
        /** Whether a side has been reset after its stream ended. */
        boolean isDead();

        /** A number that changes whenever bytes come or go. */
        long movedBytes();

        /** Whether the kernel has sent bytes lately: it drains its own buffers long after ours are empty. */
        boolean hasSentWithin(long millis);

        /** A side is dead. */
        void breakOff();

        /** Nothing has moved for the whole time allowed. */
        void expire();
    }

    HalfClosed(EventLoop loop, Connection connection, Duration linger) {
        this.loop = loop;
        this.connection = connection;
        this.lingerNanos = linger.toNanos();
        this.movedBytes = connection.movedBytes();
        this.movedAtNanos = loop.ticker().nanoTime();
    }

    /**
     * Whether a connection whose other end has ended its stream, while this end has not, is reset. If this end has
     * ended its stream too, or first, the kernel is done with the connection in any case, though not everything may
     * be read.
     */
    static boolean isReset(EpollSocketChannel channel) {
        try {
            return !channel.isOpen() || channel.tcpInfo().state() == TCP_CLOSE;
        } catch (ChannelException e) {
            return true;
        }
    }

    void watch() {
        next = loop.schedule(this, lookMillis, TimeUnit.MILLISECONDS);
        lookMillis = Math.min(2 * lookMillis, LOOK_MAX_MILLIS);
    }

    void cancel() {
        if (next != null) {
            next.cancel(false);
        }
    }

    @Override
    public void run() {
        if (connection.isDead()) {
            connection.breakOff();
            return;
        }
        long moved = connection.movedBytes();
        long now = loop.ticker().nanoTime();
        if (moved != movedBytes || connection.hasSentWithin(lookMillis)) {
            movedBytes = moved;
            movedAtNanos = now;
        } else if (now - movedAtNanos >= lingerNanos) {
            connection.expire();
            return;
        }
        watch();
    }
}
