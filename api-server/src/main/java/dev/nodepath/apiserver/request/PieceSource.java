package dev.nodepath.apiserver.request;

import org.jspecify.annotations.Nullable;

/** Pieces of a body that arrive over time. {@link #poll} is called by one thread at a time. */
public interface PieceSource extends AutoCloseable {
    /**
     * Begins.
     *
     * @param ready is called, on any thread, when there may be a piece or the end. It returns at once
     */
    void start(Runnable ready);

    /** The next piece, or null if there is none now. */
    byte @Nullable [] poll();

    /** Whether no further piece will come after those that {@link #poll} still gives. */
    boolean ended();

    /** Stops the source. May be called twice. */
    @Override
    void close();
}
