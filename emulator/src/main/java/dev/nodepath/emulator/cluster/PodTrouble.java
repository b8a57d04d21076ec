package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/** Says in one line why a Pod is not ready, from its status. */
public final class PodTrouble {
    private PodTrouble() {}

    /** The reason of a container that waits, else the message of a condition, else the phase. */
    public static String of(ObjectNode pod) {
        return waiting(pod)
                .map(state -> state.path("reason").asText() + ": "
                        + state.path("message").asText(""))
                .or(() -> falseCondition(pod, "PodScheduled"))
                .or(() -> falseCondition(pod, "Ready"))
                .orElse(pod.path("status").path("phase").asText("Pending"));
    }

    /**
     * Whether its node does nothing for it now: it has none, a container waits for its next start, or all containers
     * have ended.
     */
    static boolean isStuck(ObjectNode pod) {
        String phase = pod.path("status").path("phase").asText();
        return waiting(pod).isPresent()
                || falseCondition(pod, "PodScheduled").isPresent()
                || phase.equals("Failed")
                || phase.equals("Succeeded");
    }

    /** {@code state.waiting} of the first container whose start has failed. */
    private static Optional<JsonNode> waiting(ObjectNode pod) {
        for (String containers : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode container : pod.path("status").path(containers)) {
                JsonNode waiting = container.path("state").path("waiting");
                if (waiting.has("reason") && !waiting.path("reason").asText().equals("ContainerCreating")) {
                    return Optional.of(waiting);
                }
            }
        }
        return Optional.empty();
    }

    /** Its message, if it is {@code False} and has one. */
    private static Optional<String> falseCondition(ObjectNode pod, String type) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals(type)
                    && condition.path("status").asText().equals("False")) {
                return Optional.of(condition.path("message").asText("")).filter(message -> !message.isEmpty());
            }
        }
        return Optional.empty();
    }
}
