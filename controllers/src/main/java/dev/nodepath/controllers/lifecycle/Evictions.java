package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.schedule.NodeFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Decides when a Pod must leave its Node because of taints with the effect {@code NoExecute}. */
final class Evictions {
    private static final Set<String> PATIENT = Set.of(NodeFilter.NOT_READY, NodeFilter.UNREACHABLE);

    /** The API server writes this value into Pods without a toleration, so it counts as absent. */
    private static final int DEFAULT_SECONDS = 300;

    private Evictions() {}

    /**
     * The time of eviction; empty if the Pod may stay.
     *
     * @param patience how long a Pod without a toleration of its own tolerates a Node that is not ready or unreachable
     */
    static Optional<Instant> due(JsonNode pod, JsonNode node, Duration patience) {
        Optional<Instant> earliest = Optional.empty();
        for (JsonNode taint : node.path("spec").path("taints")) {
            Optional<Instant> due = taint.path("effect").asText().equals("NoExecute")
                    ? due(pod, node, taint, patience)
                    : Optional.empty();
            if (due.isPresent() && (earliest.isEmpty() || due.get().isBefore(earliest.get()))) {
                earliest = due;
            }
        }
        return earliest;
    }

    private static Optional<Instant> due(JsonNode pod, JsonNode node, JsonNode taint, Duration patience) {
        Instant since = Meta.time(taint.path("timeAdded")).orElse(Meta.created(node));
        boolean patient = PATIENT.contains(taint.path("key").asText());
        Optional<JsonNode> toleration = NodeFilter.toleration(pod, taint);
        if (toleration.isEmpty()) {
            return Optional.of(patient ? since.plus(patience) : since);
        }
        JsonNode seconds = toleration.get().path("tolerationSeconds");
        if (patient && seconds.asLong() == DEFAULT_SECONDS) {
            return Optional.of(since.plus(patience));
        }
        return seconds.isNumber() ? Optional.of(since.plusSeconds(Math.max(0, seconds.asLong()))) : Optional.empty();
    }
}
