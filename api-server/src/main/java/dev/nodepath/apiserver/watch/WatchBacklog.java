package dev.nodepath.apiserver.watch;

import dev.nodepath.apiserver.store.ChangeEvent;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What waits for the clients of all watches together. A change that waits for several counts once, and each place in a
 * queue counts too. When it is too much, the watch with the longest queue has to go, and newer ones have room.
 */
final class WatchBacklog {
    /** The octets of all that waits. */
    static final long OCTETS_MAX = 64L * 1024 * 1024;

    /** The octets of one place in a queue. */
    static final int PLACE_OCTETS = 96;

    private final long max;
    private final IdentityHashMap<ChangeEvent, Integer> holders = new IdentityHashMap<>();
    private final IdentityHashMap<WatchSource, Integer> places = new IdentityHashMap<>();
    private long octets;

    WatchBacklog(long max) {
        this.max = max;
    }

    /**
     * Something waits for a client.
     *
     * @param change null for a line without an object of its own
     */
    synchronized void add(WatchSource watch, @Nullable ChangeEvent change) {
        places.merge(watch, 1, Integer::sum);
        octets += PLACE_OCTETS;
        if (change != null && holders.merge(change, 1, Integer::sum) == 1) {
            octets += change.octets();
        }
    }

    /** It waits no longer. */
    synchronized void remove(WatchSource watch, @Nullable ChangeEvent change) {
        octets -= PLACE_OCTETS;
        places.computeIfPresent(watch, (each, count) -> count == 1 ? null : count - 1);
        if (change != null
                && holders.computeIfPresent(change, (each, count) -> count == 1 ? null : count - 1) == null) {
            octets -= change.octets();
        }
    }

    /** The slowest watch, if too much waits. */
    synchronized Optional<WatchSource> excess() {
        return octets <= max
                ? Optional.empty()
                : places.entrySet().stream()
                        .max(Comparator.comparingInt(Map.Entry::getValue))
                        .map(Map.Entry::getKey);
    }

    synchronized long octets() {
        return octets;
    }
}
