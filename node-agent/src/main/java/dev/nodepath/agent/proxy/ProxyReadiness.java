package dev.nodepath.agent.proxy;

import dev.nodepath.agent.parts.Parts;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.proxy.userspace.RelayBrokenException;
import java.time.Duration;
import java.util.Optional;

/** A proxy is ready once its rules are in force: earlier rules may be the other mode's. */
final class ProxyReadiness implements SyncListener {
    private final Running running;
    private volatile boolean broken;

    ProxyReadiness(Running running) {
        this.running = running;
    }

    @Override
    public void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration, Optional<Duration> waited) {
        running.up();
    }

    @Override
    public void failed(Throwable error, Duration retryIn) {
        running.waiting(Parts.explain(error));
        broken |= error.getCause() instanceof RelayBrokenException;
    }

    /** Whether no later sync can succeed, so that the proxy has to be opened anew. */
    boolean isBroken() {
        return broken;
    }
}
