package dev.nodepath.emulator.page.probe;

import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.emulator.cluster.Cluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Knows when a Service or its endpoints have changed: the proxies follow some time later. */
public final class ServiceChanges implements AutoCloseable {
    private final List<Subscription> subscriptions = new ArrayList<>();
    /** By {@link System#nanoTime}; long ago at first. */
    private volatile long last = System.nanoTime() - Duration.ofHours(1).toNanos();

    /** Begins to follow them. */
    public void follow(Cluster cluster) {
        long version = cluster.api().store().version();
        for (Resource resource : List.of(Resources.SERVICES, Resources.ENDPOINT_SLICES)) {
            subscriptions.add(cluster.api().subscribe(resource, version, change -> last = System.nanoTime()));
        }
    }

    /**
     * Waits until so much time has passed since the last change.
     *
     * @return false if it had passed already
     */
    boolean awaitRest(Duration rest) throws InterruptedException {
        boolean waited = false;
        for (long left = left(rest); left > 0; left = left(rest)) {
            waited = true;
            Thread.sleep(Duration.ofNanos(left).toMillis() + 1);
        }
        return waited;
    }

    private long left(Duration rest) {
        return rest.toNanos() - (System.nanoTime() - last);
    }

    @Override
    public void close() {
        subscriptions.forEach(Subscription::close);
    }
}
