package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The status of a CustomResourceDefinition: which of its names it has, and whether it makes its kind. Names of another
 * definition in the group are not accepted. The words are those of kube-apiserver.
 */
final class DefinitionNames {
    private static final Map<String, String> CONFLICTS = conflicts();

    private final ObjectStore store;

    DefinitionNames(ObjectStore store) {
        this.store = store;
    }

    /** Sets names and conditions. The caller holds the store's lock. */
    void accept(ObjectNode definition) {
        JsonNode wanted = definition.path("spec").path("names");
        Set<String> nouns = new TreeSet<>();
        Set<String> kinds = new TreeSet<>();
        others(definition, nouns, kinds);
        ObjectNode status = definition.withObjectProperty("status");
        ObjectNode accepted = status.withObjectProperty("acceptedNames");
        String reason = "";
        String message = "";
        for (Map.Entry<String, String> name : CONFLICTS.entrySet()) {
            String field = name.getKey();
            String clash = clash(wanted.path(field), field.endsWith("ind") ? kinds : nouns);
            if (clash.isEmpty()) {
                set(accepted, field, wanted.path(field));
            } else {
                reason = name.getValue();
                message = "\"" + clash + "\" is already in use";
            }
        }
        set(accepted, "categories", wanted.path("categories"));
        boolean fits = reason.isEmpty();
        condition(
                definition,
                "NamesAccepted",
                fits,
                fits ? "NoConflicts" : reason,
                fits ? "no conflicts found" : message);
        if (fits) {
            condition(definition, "Established", true, "InitialNamesAccepted", "the initial names have been accepted");
        } else if (!ConditionList.isTrue(definition, "Established")) {
            condition(definition, "Established", false, "NotAccepted", "not all names are accepted");
        }
        storedVersions(definition);
    }

    /** The names of the other definitions in the group. */
    private void others(JsonNode definition, Set<String> nouns, Set<String> kinds) {
        for (ObjectNode other :
                store.list(Resources.CUSTOM_RESOURCE_DEFINITIONS, "").objects()) {
            if (ObjectKey.of(other).equals(ObjectKey.of(definition))
                    || !other.path("spec")
                            .path("group")
                            .equals(definition.path("spec").path("group"))) {
                continue;
            }
            JsonNode names = other.path("status").path("acceptedNames");
            nouns.add(names.path("plural").asText());
            nouns.add(names.path("singular").asText());
            names.path("shortNames").forEach(each -> nouns.add(each.asText()));
            kinds.add(names.path("kind").asText());
            kinds.add(names.path("listKind").asText());
        }
    }

    /** The first name that another definition has; empty if there is none. */
    private static String clash(JsonNode names, Set<String> taken) {
        if (names.isTextual()) {
            return taken.contains(names.textValue()) ? names.textValue() : "";
        }
        for (JsonNode each : names) {
            if (taken.contains(each.asText())) {
                return each.asText();
            }
        }
        return "";
    }

    private static void storedVersions(ObjectNode definition) {
        ArrayNode stored = definition.withObjectProperty("status").withArrayProperty("storedVersions");
        for (JsonNode version : definition.path("spec").path("versions")) {
            boolean known = false;
            for (JsonNode each : stored) {
                known |= each.equals(version.path("name"));
            }
            if (version.path("storage").asBoolean() && !known) {
                stored.add(version.path("name").asText());
            }
        }
    }

    private static void condition(ObjectNode definition, String type, boolean value, String reason, String message) {
        ObjectNode condition = ConditionList.at(definition, type);
        if (!condition.has("lastTransitionTime")) {
            condition.set("lastTransitionTime", definition.path("metadata").path("creationTimestamp"));
        }
        condition.put("status", value ? "True" : "False").put("reason", reason).put("message", message);
    }

    private static void set(ObjectNode into, String field, JsonNode value) {
        if (value.isMissingNode()) {
            into.remove(field);
        } else {
            into.set(field, value.deepCopy());
        }
    }

    private static Map<String, String> conflicts() {
        Map<String, String> conflicts = new LinkedHashMap<>();
        conflicts.put("plural", "PluralConflict");
        conflicts.put("singular", "SingularConflict");
        conflicts.put("shortNames", "ShortNamesConflict");
        conflicts.put("kind", "KindConflict");
        conflicts.put("listKind", "ListKindConflict");
        return conflicts;
    }
}
