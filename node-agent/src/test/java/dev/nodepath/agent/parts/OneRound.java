package dev.nodepath.agent.parts;

import java.time.Duration;

/** A run that is over after its first round. */
public final class OneRound implements Running {
    @Override
    public void up() {}

    @Override
    public void waiting(String reason) {}

    @Override
    public void awaitStop() {}

    @Override
    public boolean awaitStop(Duration limit) {
        return true;
    }
}
