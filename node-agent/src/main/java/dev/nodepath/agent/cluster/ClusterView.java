package dev.nodepath.agent.cluster;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.SnapshotListener;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The watcher's latest snapshot, for parts that restart. */
public final class ClusterView implements SnapshotListener {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);

    private final String nodeName;
    private final List<SnapshotListener> listeners = new CopyOnWriteArrayList<>();
    private volatile Optional<ServiceSnapshot> latest = Optional.empty();

    /** The Service with the latest change of endpoints, and its time. */
    private Optional<Map.Entry<NamespacedName, Instant>> lastTrigger = Optional.empty();

    /** Nothing is known yet. */
    public ClusterView(String nodeName) {
        this.nodeName = nodeName;
    }

    /** The newest snapshot; empty before the first. */
    public ServiceSnapshot snapshot() {
        return latest.orElse(ServiceSnapshot.EMPTY);
    }

    /** The own Node; empty while it is unknown. */
    public Optional<NodeInfo> node() {
        return Optional.ofNullable(snapshot().nodes().get(nodeName));
    }

    /**
     * Adds a listener. It first gets the newest snapshot with everything marked as changed and the latest trigger time,
     * then every further one.
     *
     * @return removes the listener
     */
    public synchronized Runnable subscribe(SnapshotListener listener) {
        latest.ifPresent(snapshot -> listener.changed(snapshot, everything(snapshot)));
        listeners.add(listener);
        return () -> {
            synchronized (this) {
                listeners.remove(listener);
            }
        };
    }

    @Override
    public synchronized void changed(ServiceSnapshot snapshot, ChangeSet changed) {
        latest = Optional.of(snapshot);
        lastTrigger = Stream.concat(lastTrigger.stream(), lastTriggers(changed)).max(Map.Entry.comparingByValue());
        for (SnapshotListener listener : listeners) {
            try {
                listener.changed(snapshot, changed);
            } catch (RuntimeException e) {
                // A failure of one part does not affect the others.
                LOG.atError().setCause(e).log("agent.listener_failed");
            }
        }
    }

    private static Stream<Map.Entry<NamespacedName, Instant>> lastTriggers(ChangeSet changed) {
        return changed.triggers().entrySet().stream()
                .map(entry -> Map.entry(entry.getKey(), Collections.max(entry.getValue())));
    }

    private ChangeSet everything(ServiceSnapshot snapshot) {
        TreeMap<NamespacedName, List<Instant>> triggers = new TreeMap<>();
        lastTrigger.ifPresent(last -> triggers.put(last.getKey(), List.of(last.getValue())));
        return new ChangeSet(new TreeSet<>(snapshot.services().keySet()), true, triggers, 0, 0);
    }
}
