package dev.nodepath.agent.parts;

import java.time.Duration;

/** One run of a {@link Part}, as the part sees it; for any thread. */
public interface Running {
    /** Reports that the part is up; repeated calls do no harm. */
    void up();

    /** Reports that the part runs but is not up; the reason is for people. */
    void waiting(String reason);

    /**
     * Waits until the part is to stop, for a limited time.
     *
     * @return whether it is to stop
     */
    boolean awaitStop(Duration limit) throws InterruptedException;
}
