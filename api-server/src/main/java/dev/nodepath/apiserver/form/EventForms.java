package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.Map;

/**
 * Events have two forms, {@code v1} and {@code events.k8s.io/v1}. They are stored in the first. Fields of the same
 * name are the same; this table maps the others (Kubernetes {@code pkg/apis/events/v1/conversion.go}).
 */
public final class EventForms {
    private static final Map<String, String> CORE_TO_GROUP = Map.of(
            "involvedObject", "regarding",
            "message", "note",
            "source", "deprecatedSource",
            "firstTimestamp", "deprecatedFirstTimestamp",
            "lastTimestamp", "deprecatedLastTimestamp",
            "count", "deprecatedCount",
            "reportingComponent", "reportingController");

    private EventForms() {}

    /** The stored form of a kind. */
    public static Resource stored(Resource resource) {
        return Resources.stored(resource);
    }

    /** An object in its stored form. */
    public static ObjectNode toStored(Resource resource, ObjectNode object) {
        if (Resources.isOldScaler(resource)) {
            return ScalerForms.toStored(object);
        }
        if (!resource.equals(Resources.EVENTS_V1)) {
            return object;
        }
        ObjectNode core = renamed(object, false);
        return core.put("apiVersion", Resources.EVENTS.apiVersion());
    }

    /** A stored Event as {@code events.k8s.io/v1}. */
    public static ObjectNode toEventsGroup(ObjectNode object) {
        ObjectNode event = renamed(object, true);
        return event.put("apiVersion", Resources.EVENTS_V1.apiVersion());
    }

    private static ObjectNode renamed(ObjectNode object, boolean toGroup) {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            result.set(name(field.getKey(), toGroup), field.getValue());
        }
        return result;
    }

    private static String name(String field, boolean toGroup) {
        for (Map.Entry<String, String> pair : CORE_TO_GROUP.entrySet()) {
            if (toGroup && pair.getKey().equals(field)) {
                return pair.getValue();
            }
            if (!toGroup && pair.getValue().equals(field)) {
                return pair.getKey();
            }
        }
        return field;
    }
}
