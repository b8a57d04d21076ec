package dev.nodepath.agent.process;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes resources in the opposite order of their opening; a failure does not stop the others. */
public final class CloseStack implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CloseStack.class);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Adds a resource, which is closed before the present ones. */
    public <T extends AutoCloseable> T add(T resource) {
        opened.push(resource);
        return resource;
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                LOG.atWarn().setCause(e).log("process.close_failed");
            }
        }
    }
}
