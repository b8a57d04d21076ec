package dev.nodepath.controllers.endpoints;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The time of change of each Service's endpoints: the first change that has not been written yet. Different changes
 * have different times, so that a proxy's log identifies the change. Thread-safe.
 */
final class TriggerTimes {
    /** The annotation of slices and Endpoints with this time, in RFC 3339 with nanoseconds. */
    static final String ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

    private final InstantSource clock;
    private final Map<ObjectKey, Instant> pending = new ConcurrentHashMap<>();
    private Instant last = Instant.EPOCH;

    TriggerTimes(InstantSource clock) {
        this.clock = clock;
    }

    /** Notes a change. */
    void note(ObjectKey service) {
        pending.putIfAbsent(service, clock.instant());
    }

    /**
     * The time of the pending changes. Call it before reading the objects, even if no slice is written in the end.
     */
    Instant take(ObjectKey service) {
        @Nullable Instant noted = pending.remove(service);
        return noted == null ? clock.instant() : noted;
    }

    /** This time, or the next unused one. */
    synchronized String unique(Instant time) {
        last = time.isAfter(last) ? time : last.plusNanos(1);
        return last.toString();
    }
}
