package dev.nodepath.controllers.endpoints;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * When the endpoints of each Service changed: the moment of the first change that has not been written yet. Times of
 * different changes differ, so that a proxy's log tells which change it means. Thread-safe.
 */
final class TriggerTimes {
    /** The annotation of slices and Endpoints that holds it, in RFC 3339 with nanoseconds. */
    static final String ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

    private final Clock clock;
    private final Map<ObjectKey, Instant> pending = new ConcurrentHashMap<>();
    private Instant last = Instant.EPOCH;

    TriggerTimes(Clock clock) {
        this.clock = clock;
    }

    /** Notes a change. */
    void note(ObjectKey service) {
        pending.putIfAbsent(service, clock.instant());
    }

    /**
     * The time of the changes that are looked at now; call it before looking, also if nothing is written in the end.
     */
    Instant take(ObjectKey service) {
        @Nullable Instant noted = pending.remove(service);
        return noted == null ? clock.instant() : noted;
    }

    /** This time, or the next one that nobody has. */
    synchronized String unique(Instant time) {
        last = time.isAfter(last) ? time : last.plusNanos(1);
        return last.toString();
    }
}
