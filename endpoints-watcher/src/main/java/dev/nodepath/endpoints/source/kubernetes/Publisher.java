package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.endpoints.source.SnapshotListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the records of all kinds and publishes snapshots, on a thread of its own. Changes that arrive while the
 * listener is busy join the next snapshot. The first snapshot waits until each required kind is listed. It also waits
 * for this node's Node, for a limited time.
 */
final class Publisher implements Runnable {
    /** The wait after a failure. A change ends it. */
    static final Duration RETRY = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

    private final SnapshotListener listener;
    private final Duration nodeWait;
    private volatile ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;

    /** The changes of calls that the listener has failed. Used only by the publishing thread. */
    private ChangeSet untold = ChangeSet.NONE;

    /* All that follows is guarded by this. */
    private final SnapshotTracker tracker = new SnapshotTracker();
    private final List<Gathered<?>> required = new ArrayList<>();
    private final List<Gathered<?>> awaited = new ArrayList<>();
    private Gathered<?> node = new Gathered<>(name -> {}, name -> new NamespacedName("", ""), (t, r) -> {});
    private NamespacedName nodeName = new NamespacedName("", "");
    private boolean dirty;
    private boolean closed;

    /** Makes a publisher. {@link #run} publishes. */
    Publisher(SnapshotListener listener, Duration nodeWait) {
        this.listener = listener;
        this.nodeWait = nodeWait;
    }

    /** A sink for a kind that the first snapshot requires. */
    synchronized <R> ObjectSink<R> require(
            Function<R, NamespacedName> name,
            BiConsumer<SnapshotTracker, R> put,
            BiConsumer<SnapshotTracker, NamespacedName> remove) {
        Gathered<R> gathered = new Gathered<>(gone -> remove.accept(tracker, gone), name, put);
        required.add(gathered);
        return gathered;
    }

    /** A sink for a kind that the first snapshot awaits for a limited time: this node's Node. */
    synchronized <R> ObjectSink<R> await(
            NamespacedName awaited,
            Function<R, NamespacedName> name,
            BiConsumer<SnapshotTracker, R> put,
            BiConsumer<SnapshotTracker, NamespacedName> remove) {
        Gathered<R> gathered = new Gathered<>(gone -> remove.accept(tracker, gone), name, put);
        node = gathered;
        nodeName = awaited;
        return gathered;
    }

    /** A sink for a kind whose first list the first snapshot awaits for the same time. */
    synchronized <R> ObjectSink<R> awaitList(
            Function<R, NamespacedName> name,
            BiConsumer<SnapshotTracker, R> put,
            BiConsumer<SnapshotTracker, NamespacedName> remove) {
        Gathered<R> gathered = new Gathered<>(gone -> remove.accept(tracker, gone), name, put);
        awaited.add(gathered);
        return gathered;
    }

    /** The newest published snapshot. */
    ServiceSnapshot snapshot() {
        return snapshot;
    }

    /** Ends {@link #run}, after a running call of the listener. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Publishes until it is closed. */
    @Override
    public void run() {
        try {
            boolean first = true;
            awaitFirstLists();
            while (awaitChange(first)) {
                first &= !publish(first);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void awaitFirstLists() throws InterruptedException {
        while (!closed && !required.stream().allMatch(gathered -> gathered.listed)) {
            wait();
        }
        long deadline = System.nanoTime() + nodeWait.toNanos();
        boolean told = false;
        while (!closed && !isAwaitedThere()) {
            if (!told && node.listed && !node.names.containsKey(nodeName)) {
                told = true;
                LOG.atInfo()
                        .addKeyValue("node", nodeName.name())
                        .addKeyValue("wait_max_ms", nodeWait.toMillis())
                        .log("source.node_awaited");
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                if (!node.names.containsKey(nodeName)) {
                    LOG.atWarn()
                            .addKeyValue("node", nodeName.name())
                            .addKeyValue("waited_ms", nodeWait.toMillis())
                            .addKeyValue("listed", node.listed)
                            .log("source.node_missing");
                }
                return;
            }
            wait(left);
        }
    }

    private boolean isAwaitedThere() {
        return node.names.containsKey(nodeName)
                && awaited.stream().allMatch(gathered -> gathered.listed || gathered.refused);
    }

    private synchronized boolean awaitChange(boolean first) throws InterruptedException {
        while (!closed && !dirty && !first) {
            wait();
        }
        return !closed;
    }

    /** Publishes a snapshot. Returns whether the listener has taken all changes. */
    private boolean publish(boolean first) throws InterruptedException {
        try {
            SnapshotTracker.Update update;
            synchronized (this) {
                // This comes first: otherwise a failed commit would be tried again at once, like after a change.
                dirty = false;
                update = tracker.commit();
            }
            snapshot = update.snapshot();
            untold = untold.and(update.change());
            if (first || !untold.isEmpty()) {
                listener.changed(update.snapshot(), untold);
                untold = ChangeSet.NONE;
            }
            return true;
        } catch (RuntimeException e) {
            // Without this thread the node would go stale silently.
            LOG.atError().setCause(e).log("source.publish_failed");
            awaitRetry();
            return false;
        }
    }

    private synchronized void awaitRetry() throws InterruptedException {
        long end = System.nanoTime() + RETRY.toNanos();
        for (long left = RETRY.toMillis(); !closed && !dirty && left > 0; ) {
            wait(left);
            left = (end - System.nanoTime()) / 1_000_000;
        }
        dirty = true;
    }

    /** The records of one kind, by object. */
    private final class Gathered<R> implements ObjectSink<R> {
        private final java.util.function.Consumer<NamespacedName> removeRecord;
        private final Function<R, NamespacedName> recordName;
        private final BiConsumer<SnapshotTracker, R> putRecord;
        private final Map<NamespacedName, List<NamespacedName>> names = new HashMap<>();
        private boolean listed;
        private boolean refused;

        Gathered(
                java.util.function.Consumer<NamespacedName> removeRecord,
                Function<R, NamespacedName> recordName,
                BiConsumer<SnapshotTracker, R> putRecord) {
            this.removeRecord = removeRecord;
            this.recordName = recordName;
            this.putRecord = putRecord;
        }

        @Override
        public void replace(Map<NamespacedName, List<R>> objects) {
            synchronized (Publisher.this) {
                for (NamespacedName known : List.copyOf(names.keySet())) {
                    if (!objects.containsKey(known)) {
                        change(known, List.of());
                    }
                }
                objects.forEach(this::change);
                listed = true;
                changed();
            }
        }

        @Override
        public void put(NamespacedName name, List<R> records) {
            synchronized (Publisher.this) {
                change(name, records);
                changed();
            }
        }

        @Override
        public void remove(NamespacedName name) {
            put(name, List.of());
        }

        /** The first snapshot does not wait for kinds that will not come soon. */
        @Override
        public void forbidden() {
            synchronized (Publisher.this) {
                refused = true;
                Publisher.this.notifyAll();
            }
        }

        private void change(NamespacedName name, List<R> records) {
            // Copied, because a copied list of one name takes half the memory of a stream's list.
            List<NamespacedName> now =
                    List.copyOf(records.stream().map(recordName).toList());
            List<NamespacedName> before = now.isEmpty() ? names.remove(name) : names.put(name, now);
            if (before != null) {
                before.stream().filter(old -> !now.contains(old)).forEach(removeRecord);
            }
            records.forEach(one -> putRecord.accept(tracker, one));
        }

        private void changed() {
            dirty = true;
            Publisher.this.notifyAll();
        }
    }
}
