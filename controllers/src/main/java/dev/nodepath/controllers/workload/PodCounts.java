package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The numbers of a set's Pods by state.
 *
 * @param active neither finished nor being deleted
 * @param ready of the active ones
 * @param available of the ready ones: ready for the time that the set asks for
 * @param terminating being deleted
 * @param nextAvailable the time at which the next ready one becomes available; empty if there is none
 */
record PodCounts(int active, int ready, int available, int terminating, Optional<Instant> nextAvailable) {

    static PodCounts of(Collection<? extends JsonNode> pods, Duration minReady, Instant now) {
        int active = 0;
        int ready = 0;
        int available = 0;
        int terminating = 0;
        Optional<Instant> next = Optional.empty();
        for (JsonNode pod : pods) {
            if (!PodState.isActive(pod)) {
                terminating += Meta.isTerminating(pod) && !PodState.isFinished(pod) ? 1 : 0;
                continue;
            }
            active++;
            ready += PodState.isReady(pod) ? 1 : 0;
            if (PodState.isAvailable(pod, minReady, now)) {
                available++;
            } else {
                next = earlier(next, PodState.availableAt(pod, minReady));
            }
        }
        return new PodCounts(active, ready, available, terminating, next);
    }

    /** Sets a counter of a status; 0 is left out, as in Kubernetes. */
    static void put(ObjectNode status, String field, int count) {
        if (count == 0) {
            status.remove(field);
        } else {
            status.put(field, count);
        }
    }

    /** {@code spec.minReadySeconds} of a set. */
    static Duration minReady(JsonNode set) {
        return Duration.ofSeconds(set.path("spec").path("minReadySeconds").asLong(0));
    }

    private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
        return Stream.of(one, other).flatMap(Optional::stream).min(Comparator.naturalOrder());
    }
}
