package dev.nodepath.emulator.traffic;

import java.util.concurrent.atomic.AtomicBoolean;

/** Whether a pod's server is ready: at first it is, and requests can change it. */
final class ServerReadiness {
    private final String path;
    private final Runnable changed;
    private final AtomicBoolean ready = new AtomicBoolean(true);

    /**
     * A ready server.
     *
     * @param path the path of the readiness probe
     * @param changed is run after each change
     */
    ServerReadiness(String path, Runnable changed) {
        this.path = path;
        this.changed = changed;
    }

    /** Whether a request with this path asks for the readiness. */
    boolean isAsked(String uri) {
        return uri.equals(path) || uri.equals(PodServer.READINESS_PATH);
    }

    boolean isReady() {
        return ready.get();
    }

    void set(boolean now) {
        if (ready.getAndSet(now) != now) {
            changed.run();
        }
    }
}
