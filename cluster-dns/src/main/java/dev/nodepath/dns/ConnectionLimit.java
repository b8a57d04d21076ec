package dev.nodepath.dns;

import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicInteger;

/** Admits connections up to a limit. */
public final class ConnectionLimit {
    private final int max;
    private final AtomicInteger open = new AtomicInteger();

    /** A limit, with no connection open yet. */
    public ConnectionLimit(int max) {
        this.max = max;
    }

    /** Whether a connection may be served. The connection counts until it closes. */
    public boolean admits(Channel connection) {
        if (open.incrementAndGet() > max) {
            open.decrementAndGet();
            return false;
        }
        connection.closeFuture().addListener(closed -> open.decrementAndGet());
        return true;
    }
}
