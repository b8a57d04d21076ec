package dev.nodepath.apiserver.verbs;

import dev.nodepath.apiserver.store.ChangeEvent;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The data that wait for the clients of all watches together. A change that waits in several watches counts once, and
 * each place in a queue counts too. Above the limit the watch with most waiting octets is ended, so that newer ones
 * have room.
 */
final class WatchBacklog {
    /** The most waiting octets. */
    static final long OCTETS_MAX = 128L * 1024 * 1024;

    /** The octets of one place in a queue. */
    static final int PLACE_OCTETS = 96;

    private final long max;
    private final IdentityHashMap<ChangeEvent, Integer> holders = new IdentityHashMap<>();
    private final IdentityHashMap<WatchSource, Long> waiting = new IdentityHashMap<>();
    private long octets;

    WatchBacklog(long max) {
        this.max = max;
    }

    /**
     * A line waits for a client.
     *
     * @param change null for a line without an object of its own
     */
    synchronized void add(WatchSource watch, @Nullable ChangeEvent change) {
        waiting.merge(watch, size(change), Long::sum);
        octets += PLACE_OCTETS;
        if (change != null && holders.merge(change, 1, Integer::sum) == 1) {
            octets += change.octets();
        }
    }

    /** The line waits no longer. */
    synchronized void remove(WatchSource watch, @Nullable ChangeEvent change) {
        octets -= PLACE_OCTETS;
        waiting.computeIfPresent(watch, (each, sum) -> sum == size(change) ? null : sum - size(change));
        if (change != null
                && holders.computeIfPresent(change, (each, count) -> count == 1 ? null : count - 1) == null) {
            octets -= change.octets();
        }
    }

    /** The watch to end, if too much data wait. */
    synchronized Optional<WatchSource> excess() {
        return octets <= max
                ? Optional.empty()
                : waiting.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    private static long size(@Nullable ChangeEvent change) {
        return PLACE_OCTETS + (change == null ? 0 : change.octets());
    }

    synchronized long octets() {
        return octets;
    }
}
