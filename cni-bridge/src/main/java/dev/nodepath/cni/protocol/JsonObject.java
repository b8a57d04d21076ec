package dev.nodepath.cni.protocol;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object with typed getters. Keys are case-insensitive, as in Go's decoder, because runtimes rely on it. A
 * {@code null} counts as absent.
 *
 * <p>Every getter throws a {@link CniException} of code 7 that names the field by its path, such as {@code
 * ipam.ranges[0][1].subnet}, what it was and what was expected.
 */
public final class JsonObject {
    /** Stands for a JSON null. */
    enum Null {
        NULL;

        @Override
        public String toString() {
            return "null";
        }
    }

    /** The text of a number that is no 64-bit integer. */
    record OddNumber(String text) {
        @Override
        public String toString() {
            return text;
        }
    }

    private final String path;
    private final Map<String, Object> fields;

    /**
     * An object.
     *
     * @param path the path of the object; empty for the root
     * @param fields by key in lower case: String, Boolean, Long, OddNumber, Null, List, or Map of these
     */
    JsonObject(String path, Map<String, Object> fields) {
        this.path = path;
        this.fields = fields;
    }

    /** The keys that are present, in lower case. */
    public Set<String> keys() {
        return fields.keySet();
    }

    /** Whether the key is present, also with a null. */
    public boolean has(String key) {
        return fields.containsKey(key.toLowerCase(Locale.ROOT));
    }

    /** The value for a message; empty if it is absent. */
    public Optional<String> shown(String key) {
        return Optional.ofNullable(get(key)).map(JsonObject::show);
    }

    /** The path of a field. */
    String pathOf(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    /** A text; empty if it is absent or has no characters. */
    public Optional<String> string(String key) throws CniException {
        Object value = get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof String text) {
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        }
        throw wrong(pathOf(key), value, "a string");
    }

    /** A truth value; false if it is absent. */
    public boolean bool(String key) throws CniException {
        Object value = get(key);
        if (value == null) {
            return false;
        }
        if (value instanceof Boolean bool) {
            return bool;
        }
        throw wrong(pathOf(key), value, "true or false");
    }

    /** An integer; empty if it is absent. */
    public Optional<Long> integer(String key) throws CniException {
        Object value = get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof Long number) {
            return Optional.of(number);
        }
        throw wrong(pathOf(key), value, "an integer");
    }

    /** An address; empty if it is absent. An IPv4-mapped IPv6 address is IPv4, as in Go's {@code net.ParseIP}. */
    public Optional<IpAddress> address(String key) throws CniException {
        return parsed(key, text -> IpAddress.parse(text).unmapped());
    }

    /** An address with a prefix length; empty if it is absent. An IPv4-mapped one is IPv4, with 96 bits less. */
    public Optional<Cidr> cidr(String key) throws CniException {
        return parsed(key, text -> Cidr.parse(text).unmapped());
    }

    /** An object; empty if it is absent. */
    public Optional<JsonObject> object(String key) throws CniException {
        Object value = get(key);
        return value == null ? Optional.empty() : Optional.of(toObject(pathOf(key), value));
    }

    /** A list of texts. */
    public List<String> strings(String key) throws CniException {
        List<String> texts = new ArrayList<>();
        List<?> values = list(pathOf(key), get(key));
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            if (!(value instanceof String text)) {
                throw wrong(pathOf(key) + "[" + i + "]", value, "a string");
            }
            texts.add(text);
        }
        return texts;
    }

    /** A list of objects. */
    public List<JsonObject> objects(String key) throws CniException {
        return toObjects(pathOf(key), get(key));
    }

    /** A list of lists of objects. */
    public List<List<JsonObject>> objectLists(String key) throws CniException {
        List<List<JsonObject>> lists = new ArrayList<>();
        List<?> values = list(pathOf(key), get(key));
        for (int i = 0; i < values.size(); i++) {
            lists.add(toObjects(pathOf(key) + "[" + i + "]", values.get(i)));
        }
        return lists;
    }

    /** The exception for a field's value of any type. */
    public CniException refusal(String key, String expected) {
        Object value = get(key);
        return wrong(pathOf(key), value == null ? Null.NULL : value, expected);
    }

    /** The exception for this object, with a message. */
    public CniException refusal(IllegalArgumentException problem) {
        return new CniException(ErrorCode.INVALID_CONFIG, path + ": " + problem.getMessage(), problem);
    }

    /** The exception for a field, with a message. */
    public CniException refusal(String key, IllegalArgumentException problem) {
        return new CniException(ErrorCode.INVALID_CONFIG, pathOf(key) + ": " + problem.getMessage(), problem);
    }

    private @Nullable Object get(String key) {
        Object value = fields.get(key.toLowerCase(Locale.ROOT));
        return value == Null.NULL ? null : value;
    }

    private <T> Optional<T> parsed(String key, Function<String, T> parser) throws CniException {
        String text = string(key).orElse("");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(parser.apply(text));
        } catch (IllegalArgumentException e) {
            throw refusal(key, e);
        }
    }

    private static List<JsonObject> toObjects(String path, @Nullable Object value) throws CniException {
        List<JsonObject> objects = new ArrayList<>();
        List<?> values = list(path, value);
        for (int i = 0; i < values.size(); i++) {
            objects.add(toObject(path + "[" + i + "]", values.get(i)));
        }
        return objects;
    }

    private static List<?> list(String path, @Nullable Object value) throws CniException {
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            return list;
        }
        throw wrong(path, value, "a list");
    }

    @SuppressWarnings("unchecked") // JsonParsing makes no other maps
    private static JsonObject toObject(String path, Object value) throws CniException {
        if (value instanceof Map<?, ?> map) {
            return new JsonObject(path, (Map<String, Object>) map);
        }
        throw wrong(path, value, "an object");
    }

    private static CniException wrong(String path, Object value, String expected) {
        return new CniException(ErrorCode.INVALID_CONFIG, path + ": " + show(value) + " (expected: " + expected + ")");
    }

    private static String show(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.isEmpty() ? "{}" : "an object";
        }
        if (value instanceof List<?> list) {
            return list.isEmpty() ? "[]" : "a list";
        }
        return value instanceof String text ? Quoted.text(text) : Quoted.cut(value.toString());
    }
}
