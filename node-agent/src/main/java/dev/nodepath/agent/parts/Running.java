package dev.nodepath.agent.parts;

import java.time.Duration;

/** One run of a {@link Part}, from the part's view; any thread may use it. */
public interface Running {
    /** Reports that the part is up; repeated calls do no harm. */
    void up();

    /** Reports that the part runs but is not up; the reason is for people. */
    void waiting(String reason);

    /**
     * Waits until the part is to stop, or until the limit.
     *
     * @return whether it is to stop
     */
    boolean awaitStop(Duration limit) throws InterruptedException;
}
