package dev.nodepath.controllers.workload;

import java.time.Duration;
import java.time.Instant;

/** How long a Job waits after failures: 10 s after the first, twice as long after each further one, at most 10 min. */
final class FailureBackOff {
    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration MAX = Duration.ofMinutes(10);
    private static final int DOUBLINGS_MAX = 10;

    private int inARow;
    private Instant last = Instant.EPOCH;

    void failed(Instant now) {
        inARow++;
        last = now;
    }

    void succeeded() {
        inARow = 0;
    }

    /** When the next Pod may be created. */
    Instant next() {
        if (inARow == 0) {
            return Instant.EPOCH;
        }
        Duration wait = FIRST.multipliedBy(1L << Math.min(inARow - 1, DOUBLINGS_MAX));
        return last.plus(wait.compareTo(MAX) < 0 ? wait : MAX);
    }
}
