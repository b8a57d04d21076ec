package dev.nodepath.agent.parts;

import java.time.Duration;

/** A run that is over after its first round. */
public final class OneRound implements Running {
    private boolean up;
    private String waitsFor = "";

    /** Whether the part has reported that it is up. */
    public boolean isUp() {
        return up;
    }

    /** Why the part has said that it is not up. */
    public String waitsFor() {
        return waitsFor;
    }

    @Override
    public void up() {
        up = true;
    }

    @Override
    public void waiting(String reason) {
        waitsFor = reason;
    }

    @Override
    public boolean awaitStop(Duration limit) {
        return true;
    }
}
