package dev.nodepath.image;

import java.util.ArrayDeque;
import java.util.Deque;

/** Opened resources, which are closed in reverse order; a failure does not keep the others open. */
final class OpenedResources implements AutoCloseable {
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Adds a resource, which is closed before the present ones. */
    void add(AutoCloseable resource) {
        opened.push(resource);
    }

    /** Closes all; failures are thrown at the end. */
    @Override
    public void close() {
        IllegalStateException problem = new IllegalStateException("not everything could be closed");
        closeAfter(problem);
        if (problem.getSuppressed().length > 0) {
            throw problem;
        }
    }

    /** Closes all because of a problem; failures are added to it as suppressed ones. */
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
