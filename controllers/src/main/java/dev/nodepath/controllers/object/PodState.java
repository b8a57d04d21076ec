package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ConditionList;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads a Pod's status. */
public final class PodState {
    private PodState() {}

    /** Whether all its containers have ended, and will not run again. */
    public static boolean isFinished(JsonNode pod) {
        String phase = phase(pod);
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    /** Whether it counts as a replica: neither finished nor being deleted. */
    public static boolean isActive(JsonNode pod) {
        return !isFinished(pod) && !Meta.isTerminating(pod);
    }

    /** Its condition Ready. */
    public static boolean isReady(JsonNode pod) {
        return ConditionList.isTrue(pod, "Ready");
    }

    /** Whether it has been ready for the time that its owner asks for. */
    public static boolean isAvailable(JsonNode pod, Duration minReady, Instant now) {
        return isReady(pod)
                && availableAt(pod, minReady).filter(at -> !at.isAfter(now)).isPresent();
    }

    /** The time at which a ready Pod becomes available; empty if it is not ready. */
    public static Optional<Instant> availableAt(JsonNode pod, Duration minReady) {
        if (!isReady(pod)) {
            return Optional.empty();
        }
        return minReady.isZero() ? Optional.of(Instant.EPOCH) : readySince(pod).map(since -> since.plus(minReady));
    }

    /** The time since which it is ready or unready. */
    public static Optional<Instant> readySince(JsonNode pod) {
        return ConditionList.find(pod, "Ready").flatMap(each -> Meta.time(each.path("lastTransitionTime")));
    }

    /** For example {@code Pending} or {@code Running}. */
    public static String phase(JsonNode pod) {
        return pod.path("status").path("phase").asText("");
    }

    /** The Node that it is bound to, or empty. */
    public static String node(JsonNode pod) {
        return pod.path("spec").path("nodeName").asText("");
    }
}
