package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Says in one line why a Pod is not ready, from its status. */
public final class PodTrouble {
    private PodTrouble() {}

    public static String of(ObjectNode pod) {
        JsonNode status = pod.path("status");
        for (JsonNode container : status.path("containerStatuses")) {
            JsonNode waiting = container.path("state").path("waiting");
            if (waiting.has("reason") && !waiting.path("reason").asText().equals("ContainerCreating")) {
                return waiting.path("reason").asText() + ": "
                        + waiting.path("message").asText("");
            }
        }
        for (JsonNode condition : status.path("conditions")) {
            String type = condition.path("type").asText();
            if (condition.path("status").asText().equals("False")
                    && (type.equals("PodScheduled") || type.equals("Ready"))
                    && !condition.path("message").asText("").isEmpty()) {
                return condition.path("message").asText();
            }
        }
        return status.path("phase").asText("Pending");
    }
}
