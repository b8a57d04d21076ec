package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.CustomKind;
import java.util.Locale;

/** CustomResourceDefinitions. */
final class DefinitionDefaults {
    private DefinitionDefaults() {}

    static void apply(ObjectNode definition) {
        ObjectNode spec = definition.withObjectProperty("spec");
        ObjectNode names = spec.withObjectProperty("names");
        String kind = names.path("kind").asText("");
        if (!kind.isEmpty()) {
            Absent.put(names, "singular", kind.toLowerCase(Locale.ROOT));
            Absent.put(names, "listKind", kind + "List");
        }
        if (Absent.is(spec, "conversion")) {
            spec.putObject("conversion").put("strategy", "None");
        }
    }

    static void start(ObjectNode definition) {
        ArrayNode finalizers = definition.withObjectProperty("metadata").withArrayProperty("finalizers");
        for (JsonNode each : finalizers) {
            if (each.asText().equals(CustomKind.FINALIZER)) {
                return;
            }
        }
        finalizers.add(CustomKind.FINALIZER);
    }
}
