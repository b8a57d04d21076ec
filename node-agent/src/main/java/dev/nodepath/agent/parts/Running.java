package dev.nodepath.agent.parts;

import java.time.Duration;

/** One run of a {@link Part}, as the part sees it; for any thread. */
public interface Running {
    /** The part does what it is for, from now on; said again it does no harm. */
    void up();

    /** It goes on, but does not do what it is for; the reason is for people. */
    void waiting(String reason);

    /** Waits until the part is to stop. */
    void awaitStop() throws InterruptedException;

    /**
     * Waits until the part is to stop, for a limited time.
     *
     * @return whether it is to stop
     */
    boolean awaitStop(Duration limit) throws InterruptedException;
}
