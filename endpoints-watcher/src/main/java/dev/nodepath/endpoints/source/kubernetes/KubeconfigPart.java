package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.endpoints.source.SourceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A mapping in a kubeconfig file.
 *
 * @param prefix the path before a field's name in errors
 */
record KubeconfigPart(Path file, String prefix, JsonNode fields) {
    /** The whole file. */
    static KubeconfigPart root(Path file, JsonNode document) throws SourceException {
        if (!document.isObject()) {
            throw new SourceException("kubeconfig " + file + ": " + kind(document) + " (expected: a kubeconfig file)");
        }
        return new KubeconfigPart(file, "kubeconfig " + file + ": ", document);
    }

    /** A field's name in errors. */
    String at(String field) {
        return prefix + field;
    }

    SourceException problem(String field, String problem) {
        return new SourceException(at(field) + ": " + problem);
    }

    /** Whether a field has a value. */
    boolean has(String field) {
        JsonNode value = fields.path(field);
        return !value.isMissingNode()
                && !value.isNull()
                && !(value.isTextual() && value.textValue().isEmpty());
    }

    /** The text of a field; empty if there is none. */
    String text(String field) throws SourceException {
        JsonNode value = fields.path(field);
        if (!has(field)) {
            return "";
        }
        if (!value.isTextual()) {
            throw problem(field, kind(value) + " (expected: text; what looks like something else needs quotes)");
        }
        return value.textValue();
    }

    /** Whether a field is true; false if it is absent. */
    boolean flag(String field) throws SourceException {
        JsonNode value = fields.path(field);
        if (has(field) && !value.isBoolean()) {
            throw problem(field, kind(value) + " (expected: true or false)");
        }
        return value.booleanValue();
    }

    /** The path in a field, relative to the file's folder; null, in the client's form, if there is none. */
    @Nullable
    String file(String field) throws SourceException {
        String named = text(field);
        return named.isEmpty() ? null : file.resolveSibling(named).toString();
    }

    /** Checks that the file that a field names can be read. */
    void checkFile(String field) throws SourceException {
        String named = file(field);
        if (named != null && !Files.isReadable(Path.of(named))) {
            throw problem(field, text(field) + ": not readable (expected: a file)");
        }
    }

    /** The mapping in a field. */
    KubeconfigPart part(String field) throws SourceException {
        JsonNode value = fields.path(field);
        if (!value.isObject()) {
            throw problem(field, kind(value) + " (expected: a mapping)");
        }
        return new KubeconfigPart(file, at(field) + ".", value);
    }

    /**
     * An entry of a list of named ones.
     *
     * @param part the entry's field with everything but its name
     * @param askedBy where the name is from, for errors
     * @return empty if that field is missing
     */
    Optional<KubeconfigPart> named(String list, String part, String name, String askedBy) throws SourceException {
        if (has(list) && !fields.path(list).isArray()) {
            throw problem(list, kind(fields.path(list)) + " (expected: a list)");
        }
        Set<String> known = new TreeSet<>();
        Optional<KubeconfigPart> found = Optional.empty();
        for (JsonNode item : fields.path(list)) {
            String at = list + "[" + known.size() + "]";
            if (!item.isObject()) {
                throw problem(at, kind(item) + " (expected: a mapping with name and " + part + ")");
            }
            KubeconfigPart entry = new KubeconfigPart(file, at(at + "."), item);
            String itemName = entry.text("name");
            if (!known.add(itemName)) {
                throw problem(list, "\"" + itemName + "\" occurs twice (expected: names of their own)");
            }
            if (!name.isEmpty() && name.equals(itemName)) {
                found = Optional.of(new KubeconfigPart(file, at(list + "[" + name + "]."), item));
            }
        }
        if (found.isEmpty()) {
            throw new SourceException(
                    askedBy + ": " + (name.isEmpty() ? "missing" : "\"" + name + "\"") + " (expected: "
                            + (known.isEmpty()
                                    ? "a name that the file defines; it defines none"
                                    : "one of " + String.join(", ", known))
                            + ")");
        }
        return found.get().has(part) ? Optional.of(found.get().part(part)) : Optional.empty();
    }

    private static String kind(JsonNode value) {
        if (value.isContainerNode()) {
            return value.isArray() ? "a list" : "a mapping";
        }
        return value.isTextual() ? "\"" + value.textValue() + "\"" : value.isMissingNode() ? "missing" : value.asText();
    }
}
