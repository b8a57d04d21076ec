package dev.nodepath.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Optional;

/** Reads and writes {@code status.conditions}. */
public final class ConditionList {
    private ConditionList() {}

    /** The condition of this type. */
    public static Optional<JsonNode> find(JsonNode object, String type) {
        for (JsonNode each : object.path("status").path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Whether the condition of this type is {@code True}. */
    public static boolean isTrue(JsonNode object, String type) {
        return status(object, type).equals("True");
    }

    /** The status of the condition of this type; empty if there is none. */
    public static String status(JsonNode object, String type) {
        return find(object, type).map(each -> each.path("status").asText("")).orElse("");
    }

    /**
     * Sets a condition. Its transition time changes only with its status.
     *
     * @param reason empty for none
     * @param message empty for none
     * @return the condition, for further fields
     */
    public static ObjectNode set(
            ObjectNode object, String type, String status, String reason, String message, Instant now) {
        ObjectNode condition = at(object, type);
        if (!condition.path("status").asText("").equals(status)) {
            condition.put("status", status);
            condition.put(
                    "lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
        }
        put(condition, "reason", reason);
        put(condition, "message", message);
        return condition;
    }

    /** Removes the condition of this type. */
    public static void remove(ObjectNode object, String type) {
        Iterator<JsonNode> each = object.withObjectProperty("status")
                .withArrayProperty("conditions")
                .iterator();
        while (each.hasNext()) {
            if (each.next().path("type").asText().equals(type)) {
                each.remove();
            }
        }
    }

    /** The condition of this type; an absent one is added. */
    public static ObjectNode at(ObjectNode object, String type) {
        ArrayNode all = object.withObjectProperty("status").withArrayProperty("conditions");
        for (JsonNode each : all) {
            if (each instanceof ObjectNode condition
                    && condition.path("type").asText().equals(type)) {
                return condition;
            }
        }
        return all.addObject().put("type", type);
    }

    private static void put(ObjectNode condition, String field, String value) {
        if (value.isEmpty()) {
            condition.remove(field);
        } else {
            condition.put(field, value);
        }
    }
}
