package dev.nodepath.agent.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes something on a thread of its own, in the network namespace of the thread that asks. What is not done in time is
 * interrupted: the command that it runs is ended, and every later one of it fails at once.
 */
public final class LimitedClose implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LimitedClose.class);

    /** What was interrupted has no more commands to wait for. */
    private static final Duration INTERRUPTED_LIMIT = Duration.ofSeconds(3);

    private final AutoCloseable resource;
    private final Duration limit;

    public LimitedClose(AutoCloseable resource, Duration limit) {
        this.resource = resource;
        this.limit = limit;
    }

    /** Returns when it is closed, or the limit is over and what was interrupted has ended or had its time. */
    @Override
    public void close() {
        Thread closer = new Thread(this::closeResource, "close");
        closer.setDaemon(true);
        closer.start();
        boolean ended = awaitEnd(closer, limit);
        if (!ended) {
            LOG.atWarn().addKeyValue("limit_ms", limit.toMillis()).log("proxy.end_overdue");
            closer.interrupt();
            boolean unused = awaitEnd(closer, INTERRUPTED_LIMIT);
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
