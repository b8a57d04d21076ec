package dev.nodepath.bench.programming;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Replaces an endpoint of one Service after the other, at a steady rate, from when it is made. */
final class SliceChanges implements AutoCloseable {
    private static final long END_MINUTES_MAX = 5;

    private final ScheduledExecutorService changer = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger changes = new AtomicInteger();
    private final FollowedNode node;
    private final int services;
    private final Future<?> changing;

    SliceChanges(FollowedNode node, int services, int perSecond) {
        this.node = node;
        this.services = services;
        this.changing = changer.scheduleAtFixedRate(
                this::change, 0, TimeUnit.SECONDS.toNanos(1) / perSecond, TimeUnit.NANOSECONDS);
    }

    /** The Services take turns, so every change replaces an endpoint. */
    private void change() {
        int number = changes.getAndIncrement();
        node.putSlice(number % services, 1 + number / services);
    }

    /** How many have begun. */
    int count() {
        return changes.get();
    }

    /**
     * Makes no further change, and waits for the last.
     *
     * @throws IOException if a change has failed; no change follows it
     */
    void end() throws IOException, InterruptedException {
        if (changing.isDone()) {
            throw new IOException("the changes ended before the turn");
        }
        changer.shutdown();
        if (!changer.awaitTermination(END_MINUTES_MAX, TimeUnit.MINUTES)) {
            throw new IOException("the last change has not ended after " + END_MINUTES_MAX + " minutes");
        }
    }

    @Override
    public void close() {
        changer.shutdownNow();
    }
}
