package dev.nodepath.controllers;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved. */
public final class SteppedClock implements InstantSource {
    private Instant now = Instant.parse("2026-01-02T03:04:05.678901234Z");

    /** Moves the time forward. */
    public void advance(Duration step) {
        now = now.plus(step);
    }

    @Override
    public Instant instant() {
        return now;
    }
}
