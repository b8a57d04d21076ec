package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** The owners of an object's fields: its {@code metadata.managedFields}. */
final class ManagedFields {
    /**
     * An owner.
     *
     * @param name such as {@code kubectl}
     * @param operation {@code Apply} or {@code Update}
     * @param subresource empty for the object itself
     */
    record Owner(String name, String operation, String subresource) {}

    private record Entry(NavigableSet<FieldPath> fields, String time) {}

    private final Map<Owner, Entry> entries = new LinkedHashMap<>();

    static ManagedFields of(ObjectNode object) {
        ManagedFields managed = new ManagedFields();
        for (JsonNode entry : object.path("metadata").path("managedFields")) {
            Owner owner = new Owner(
                    entry.path("manager").asText(""),
                    entry.path("operation").asText(""),
                    entry.path("subresource").asText(""));
            managed.set(
                    owner,
                    FieldSet.read(entry.path("fieldsV1")),
                    entry.path("time").asText(""));
        }
        return managed;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    boolean has(Owner owner) {
        return entries.containsKey(owner);
    }

    NavigableSet<FieldPath> of(Owner owner) {
        Entry entry = entries.get(owner);
        return entry == null ? new TreeSet<>() : entry.fields();
    }

    String time(Owner owner) {
        Entry entry = entries.get(owner);
        return entry == null ? "" : entry.time();
    }

    void set(Owner owner, NavigableSet<FieldPath> fields, String time) {
        entries.put(owner, new Entry(new TreeSet<>(fields), time));
    }

    void others(Owner owner, BiConsumer<Owner, NavigableSet<FieldPath>> each) {
        entries.forEach((other, entry) -> {
            if (!other.equals(owner)) {
                each.accept(other, entry.fields());
            }
        });
    }

    /** Takes fields from all owners. */
    void forget(Predicate<FieldPath> gone) {
        entries.values().forEach(entry -> entry.fields().removeIf(gone));
    }

    void write(ObjectNode object) {
        ArrayNode list = object.objectNode().arrayNode();
        entries.forEach((owner, entry) -> {
            if (!entry.fields().isEmpty()) {
                ObjectNode one = list.addObject()
                        .put("manager", owner.name())
                        .put("operation", owner.operation())
                        .put("apiVersion", object.path("apiVersion").asText())
                        .put("time", entry.time())
                        .put("fieldsType", "FieldsV1");
                one.set("fieldsV1", FieldSet.write(entry.fields()));
                if (!owner.subresource().isEmpty()) {
                    one.put("subresource", owner.subresource());
                }
            }
        });
        object.withObjectProperty("metadata").set("managedFields", list);
    }
}
