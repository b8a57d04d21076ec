package dev.nodepath.apiserver.schema;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A type of objects with named fields.
 *
 * @param name such as {@code core.v1.ServicePort}
 * @param fields by name, sorted
 * @param traits of its fields
 * @param own traits of the type itself: whether server-side apply takes it as a whole
 */
public record StructType(String name, Map<String, FieldType> fields, Map<String, Traits> traits, Traits own) {

    public StructType {
        fields = Collections.unmodifiableMap(new TreeMap<>(fields));
        traits = Map.copyOf(traits);
    }

    /** The traits of a field. */
    public Traits traits(String field) {
        return traits.getOrDefault(field, Traits.NONE);
    }

    /** The name without group and version, as in Go. */
    public String simpleName() {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
