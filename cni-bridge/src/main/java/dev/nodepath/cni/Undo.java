package dev.nodepath.cni;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Rolls back a command of several steps if it fails. Each step registers its reversal, and the last one runs first. */
final class Undo implements AutoCloseable {

    /** The reversal of a step. */
    @FunctionalInterface
    interface Action {
        void run() throws IOException;
    }

    private final Deque<Action> actions = new ArrayDeque<>();

    /** Adds the reversal of a step. It may be added before the step if it is then harmless. */
    void add(Action action) {
        actions.push(action);
    }

    /** The command has succeeded: drops all reversals. */
    void forget() {
        actions.clear();
    }

    /**
     * Runs the reversals. A failure does not stop the others. In a try-with-resources the first failure is a suppressed
     * exception of the command's error.
     */
    @Override
    public void close() throws IOException {
        Exception first = null;
        while (!actions.isEmpty()) {
            try {
                actions.pop().run();
            } catch (IOException | RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw new IOException("not every change could be undone: " + first.getMessage(), first);
        }
    }
}
