package dev.nodepath.agent.proxy;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Several listeners as one; a failure of one does not stop the others. */
public final class SyncListeners implements SyncListener {
    private static final Logger LOG = LoggerFactory.getLogger(SyncListeners.class);

    private final List<SyncListener> listeners = new CopyOnWriteArrayList<>();

    /** Adds a listener, which is told after the present ones. */
    public void add(SyncListener listener) {
        listeners.add(listener);
    }

    @Override
    public void synced(ServiceSnapshot snapshot, ChangeSet changed, Duration duration, Optional<Duration> waited) {
        each(listener -> listener.synced(snapshot, changed, duration, waited));
    }

    @Override
    public void failed(Throwable error, Duration retryIn) {
        each(listener -> listener.failed(error, retryIn));
    }

    @Override
    public void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        each(listener -> listener.ended(snapshot, changed, inForce));
    }

    private void each(Consumer<SyncListener> tell) {
        for (SyncListener listener : listeners) {
            try {
                tell.accept(listener);
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("proxy.sync_listener_failed");
            }
        }
    }
}
