package dev.nodepath.agent.process;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until a test lets time pass. */
public final class ManualClock implements InstantSource {
    private Instant now;

    /** A clock that starts at this time, such as {@code 2026-11-20T20:00:00Z}. */
    public ManualClock(String start) {
        this.now = Instant.parse(start);
    }

    /** Lets time pass. */
    public void pass(Duration time) {
        now = now.plus(time);
    }

    @Override
    public Instant instant() {
        return now;
    }
}
