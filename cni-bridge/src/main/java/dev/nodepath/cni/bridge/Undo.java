package dev.nodepath.cni.bridge;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** What to take back if a command of several steps fails: each step leaves its opposite here, and the last goes first. */
public final class Undo implements AutoCloseable {

    /** The opposite of a step. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    private final Deque<Action> actions = new ArrayDeque<>();

    /** Adds the opposite of a step that is done, or about to be done if undoing what was not done is harmless. */
    public void add(Action action) {
        actions.push(action);
    }

    /** The command has succeeded: nothing is taken back. */
    public void forget() {
        actions.clear();
    }

    /**
     * Takes back what has not been forgotten. A step that cannot be taken back does not hinder the others; in a
     * try-with-resources the first such problem stands behind the error that made the command fail.
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
            throw new IOException("not everything could be taken back: " + first.getMessage(), first);
        }
    }
}
