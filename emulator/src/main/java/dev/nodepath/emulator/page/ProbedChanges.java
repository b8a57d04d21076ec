package dev.nodepath.emulator.page;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Knows the time of the last change of a Service, its endpoints, a policy or an object that these depend on: the nodes
 * follow a change some time later.
 */
final class ProbedChanges implements AutoCloseable {
    private static final List<Resource> FOLLOWED = List.of(
            Resources.SERVICES,
            Resources.ENDPOINT_SLICES,
            Resources.NETWORK_POLICIES,
            ClusterPolicyDefinition.RESOURCE,
            Resources.PODS,
            Resources.NAMESPACES);

    private final List<Subscription> subscriptions = new ArrayList<>();
    /** In {@link System#nanoTime}; long ago at first. */
    private volatile long last = System.nanoTime() - Duration.ofHours(1).toNanos();

    /** Begins to follow the objects. */
    void follow(ClusterApi api) {
        long version = api.store().version();
        for (Resource resource : FOLLOWED) {
            subscriptions.add(api.subscribe(resource, version, change -> last = System.nanoTime()));
        }
    }

    /**
     * Waits until so much time has passed since the last change.
     *
     * @param sent when a packet was sent, by {@link System#nanoTime}; its observation may have lasted longer than the
     *     rest
     * @return false if the rest was already over at that time, and no change has come since
     */
    boolean awaitRest(Duration rest, long sent) throws InterruptedException {
        boolean early = left(rest, sent) > 0;
        for (long left = left(rest, System.nanoTime()); left > 0; left = left(rest, System.nanoTime())) {
            Thread.sleep(Duration.ofNanos(left).toMillis() + 1);
        }
        return early;
    }

    /**
     * The rest that was left at that time: negative if it was over, more than the whole rest if a change came later.
     */
    private long left(Duration rest, long time) {
        return rest.toNanos() - (time - last);
    }

    @Override
    public void close() {
        subscriptions.forEach(Subscription::close);
    }
}
