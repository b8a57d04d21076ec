package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Patches for a Node's condition {@code NetworkUnavailable}. One sets it to False, which means that pods are reachable.
 * The other removes it.
 */
final class NetworkCondition {
    private static final String TYPE = "NetworkUnavailable";

    private NetworkCondition() {}

    /**
     * The strategic merge patch of {@code nodes/status} that sets the condition to False. Its merge key is the
     * condition's type. Empty if the Node says so already.
     *
     * @param node the Node at the server
     */
    static Optional<String> patch(JsonNode node, String reason, String message, Instant now) {
        JsonNode known = known(node);
        boolean holds = known.path("status").asText("").equals("False");
        if (holds
                && known.path("reason").asText("").equals(reason)
                && known.path("message").asText("").equals(message)) {
            return Optional.empty();
        }
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        String since = holds ? known.path("lastTransitionTime").asText(time) : time;
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", TYPE)
                .put("status", "False")
                .put("reason", reason)
                .put("message", message)
                .put("lastHeartbeatTime", time)
                .put("lastTransitionTime", since);
        return Optional.of(patch.toString());
    }

    /**
     * The strategic merge patch of {@code nodes/status} that removes the condition. Empty if the Node has none with
     * this reason: a condition with another reason is another network's.
     */
    static Optional<String> removal(JsonNode node, String reason) {
        if (!known(node).path("reason").asText("").equals(reason)) {
            return Optional.empty();
        }
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("$patch", "delete")
                .put("type", TYPE);
        return Optional.of(patch.toString());
    }

    private static JsonNode known(JsonNode node) {
        for (JsonNode condition : node.path("status").path("conditions")) {
            if (condition.path("type").asText("").equals(TYPE)) {
                return condition;
            }
        }
        return JsonNodeFactory.instance.missingNode();
    }
}
