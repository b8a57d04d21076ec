package dev.nodepath.controllers.workload;

import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.time.Instant;

/** A Job's wait after failures: 10 s after the first, twice as long after each further one, at most 10 min. */
final class FailureBackOff {
    private static final BackOff WAITS = new BackOff(Duration.ofSeconds(10), Duration.ofMinutes(10));

    private int inARow;
    private Instant last = Instant.EPOCH;

    void failed(Instant now) {
        inARow++;
        last = now;
    }

    void succeeded() {
        inARow = 0;
    }

    /** The earliest time of the next Pod. */
    Instant next() {
        return inARow == 0 ? Instant.EPOCH : last.plus(WAITS.after(inARow));
    }
}
