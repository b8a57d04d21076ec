package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Optional;

/** Reads {@code metadata}. Missing fields read as empty. */
public final class Meta {
    private Meta() {}

    /** Its name. */
    public static String name(JsonNode object) {
        return text(object, "name");
    }

    /** Its namespace. */
    public static String namespace(JsonNode object) {
        return text(object, "namespace");
    }

    /** Tells the object from an earlier one of the same name. */
    public static String uid(JsonNode object) {
        return text(object, "uid");
    }

    /** The number of changes of its spec. */
    public static long generation(JsonNode object) {
        return object.path("metadata").path("generation").asLong(0);
    }

    /** Its labels; missing if it has none. */
    public static JsonNode labels(JsonNode object) {
        return object.path("metadata").path("labels");
    }

    /** One of its annotations. */
    public static String annotation(JsonNode object, String key) {
        return object.path("metadata").path("annotations").path(key).asText("");
    }

    /** Whether it has a deletion time. */
    public static boolean isTerminating(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    /** When it was created. */
    public static Instant created(JsonNode object) {
        return time(object.path("metadata").path("creationTimestamp")).orElse(Instant.EPOCH);
    }

    /** Whether it has this finalizer. */
    public static boolean hasFinalizer(JsonNode object, String finalizer) {
        for (JsonNode each : object.path("metadata").path("finalizers")) {
            if (each.asText().equals(finalizer)) {
                return true;
            }
        }
        return false;
    }

    /** Removes a finalizer. */
    public static void removeFinalizer(ObjectNode object, String finalizer) {
        Iterator<JsonNode> each = object.withObjectProperty("metadata")
                .withArrayProperty("finalizers")
                .iterator();
        while (each.hasNext()) {
            if (each.next().asText().equals(finalizer)) {
                each.remove();
            }
        }
    }

    /** Sets an annotation. */
    public static void annotate(ObjectNode object, String key, String value) {
        object.withObjectProperty("metadata").withObjectProperty("annotations").put(key, value);
    }

    /** Sets a label. */
    public static void label(ObjectNode object, String key, String value) {
        object.withObjectProperty("metadata").withObjectProperty("labels").put(key, value);
    }

    /** A moment in RFC 3339. */
    public static Optional<Instant> time(JsonNode text) {
        return text.isTextual() ? Optional.of(Instant.parse(text.asText())) : Optional.empty();
    }

    /** A moment as {@code metav1.Time} writes it: in whole seconds. */
    public static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String text(JsonNode object, String field) {
        return object.path("metadata").path(field).asText("");
    }
}
