package dev.nodepath.image;

import java.util.ArrayDeque;
import java.util.Deque;

/** What was opened, to be closed in the opposite order; none that fails keeps the others open. */
final class OpenedResources implements AutoCloseable {
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Closes one more, before those that are there. */
    void add(AutoCloseable resource) {
        opened.push(resource);
    }

    /** Closes all; what failed is thrown at the end. */
    @Override
    public void close() {
        IllegalStateException problem = new IllegalStateException("not everything could be closed");
        closeAfter(problem);
        if (problem.getSuppressed().length > 0) {
            throw problem;
        }
    }

    /** Closes all because of a problem; what fails stands behind it. */
    void closeAfter(Throwable problem) {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                problem.addSuppressed(e);
            } catch (Exception | AssertionError e) {
                problem.addSuppressed(e);
            }
        }
    }
}
