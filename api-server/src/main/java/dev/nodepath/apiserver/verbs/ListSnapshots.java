package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.store.Listing;
import dev.nodepath.apiserver.store.ObjectStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Lists that a client reads in pages: all pages show the state of one moment. The newest {@value #COUNT_MAX} are kept,
 * each for five minutes (as etcd's compaction in Kubernetes) and as long as the store's history reaches back to it: a
 * list keeps old objects in memory.
 */
final class ListSnapshots {
    private static final int COUNT_MAX = 32;
    private static final Duration AGE_MAX = Duration.ofMinutes(5);

    private record Key(Resource resource, String namespace, long version) {}

    private record Snapshot(Listing listing, Instant taken) {}

    private final ObjectStore store;
    private final InstantSource clock;
    private final Map<Key, Snapshot> snapshots = new LinkedHashMap<>();

    ListSnapshots(ObjectStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    synchronized void keep(Resource resource, String namespace, Listing listing) {
        forget();
        if (snapshots.size() >= COUNT_MAX) {
            snapshots.remove(snapshots.keySet().iterator().next());
        }
        snapshots.putIfAbsent(new Key(resource, namespace, listing.version()), new Snapshot(listing, clock.instant()));
    }

    synchronized Optional<Listing> find(Resource resource, String namespace, long version) {
        forget();
        return Optional.ofNullable(snapshots.get(new Key(resource, namespace, version)))
                .map(Snapshot::listing);
    }

    private void forget() {
        Instant now = clock.instant();
        long oldest = store.oldest();
        snapshots
                .values()
                .removeIf(each -> each.taken().plus(AGE_MAX).isBefore(now)
                        || each.listing().version() < oldest);
    }
}
