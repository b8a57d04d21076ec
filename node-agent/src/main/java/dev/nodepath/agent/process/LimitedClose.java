package dev.nodepath.agent.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a resource on a thread of its own, in the caller's network namespace. After a limit the thread is interrupted:
 * its running command is killed, and later ones fail at once.
 */
public final class LimitedClose implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LimitedClose.class);

    /** An interrupted close waits for no more commands. */
    private static final Duration INTERRUPTED_LIMIT = Duration.ofSeconds(3);

    private final AutoCloseable resource;
    private final Duration limit;

    /** Closes this resource. It starts no thread before {@link #close}. */
    public LimitedClose(AutoCloseable resource, Duration limit) {
        this.resource = resource;
        this.limit = limit;
    }

    /** Returns when the resource is closed, or after the limit and a grace for the interrupted close. */
    @Override
    public void close() {
        Thread closer = new Thread(this::closeResource, "close");
        closer.setDaemon(true);
        closer.start();
        boolean ended = awaitEnd(closer, limit);
        if (!ended) {
            LOG.atWarn().addKeyValue("limit_ms", limit.toMillis()).log("process.close_overdue");
            closer.interrupt();
            awaitEnd(closer, INTERRUPTED_LIMIT);
        }
    }

    /** An interrupt of this thread ends the wait. */
    private static boolean awaitEnd(Thread thread, Duration limit) {
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, limit.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private void closeResource() {
        try {
            resource.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.atWarn().setCause(e).log("process.close_failed");
        }
    }
}
