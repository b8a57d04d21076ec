package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.controllers.object.PodState;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Says in one line why a Pod is not ready, from its status. */
public final class PodTrouble {
    private static final Set<String> NOT_STARTED = Set.of("ContainerCreating", "PodInitializing");

    private PodTrouble() {}

    /** The reason of a waiting container and of its last end, else the message of a condition, else the phase. */
    public static String of(ObjectNode pod) {
        return waiting(pod)
                .map(PodTrouble::text)
                .or(() -> complaint(pod, "PodScheduled"))
                .or(() -> complaint(pod, "Ready"))
                .orElse(pod.path("status").path("phase").asText("Pending"));
    }

    /**
     * Whether its node does nothing for it now: it has no node, a container waits for its next start, or all
     * containers have ended.
     */
    static boolean isStuck(ObjectNode pod) {
        return waiting(pod).isPresent() || complaint(pod, "PodScheduled").isPresent() || PodState.isFinished(pod);
    }

    private static String text(JsonNode container) {
        JsonNode waiting = container.path("state").path("waiting");
        JsonNode last = container.path("lastState").path("terminated");
        String end = last.path("message").asText("").lines().findFirst().orElse("");
        return waiting.path("reason").asText() + ": " + waiting.path("message").asText("")
                + (end.isEmpty() ? "" : ": " + end);
    }

    /** The status of the first container whose start has failed. */
    private static Optional<JsonNode> waiting(ObjectNode pod) {
        for (String containers : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode container : pod.path("status").path(containers)) {
                JsonNode waiting = container.path("state").path("waiting");
                if (waiting.has("reason")
                        && !NOT_STARTED.contains(waiting.path("reason").asText())) {
                    return Optional.of(container);
                }
            }
        }
        return Optional.empty();
    }

    /** The message of a condition that is {@code False}, if it has one. */
    private static Optional<String> complaint(ObjectNode pod, String type) {
        return ConditionList.find(pod, type)
                .filter(condition -> condition.path("status").asText().equals("False"))
                .map(condition -> condition.path("message").asText(""))
                .filter(message -> !message.isEmpty());
    }
}
