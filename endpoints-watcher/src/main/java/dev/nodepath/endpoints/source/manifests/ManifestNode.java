package dev.nodepath.endpoints.source.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.nodepath.endpoints.source.PaddedAddress;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of a value in a manifest: a field, an item or the whole object. It may be absent. A {@code null}
 * counts as absent, as in Kubernetes. The getters check the value. They throw a {@link ManifestException} that names
 * file, object, field path, value, and what was expected.
 */
public final class ManifestNode {
    private static final int MAX_SHOWN_CHARS = 80;
    private static final Pattern PLAIN_FIELD = Pattern.compile("[A-Za-z0-9_-]+");

    private final YamlParser.Documents source;
    private final String object;
    private final @Nullable ManifestNode parent;
    private final @Nullable String field;
    private final int index;
    private final JsonNode value;

    private ManifestNode(
            YamlParser.Documents source,
            String object,
            @Nullable ManifestNode parent,
            @Nullable String field,
            int index,
            @Nullable JsonNode value) {
        this.source = source;
        this.object = object;
        this.parent = parent;
        this.field = field;
        this.index = index;
        this.value = value == null || value.isNull() ? MissingNode.getInstance() : value;
    }

    /** A whole document; {@code object} is its name in errors. */
    static ManifestNode root(YamlParser.Documents source, String object, JsonNode value) {
        return new ManifestNode(source, object, null, null, 0, value);
    }

    /** The same value as an object. The name follows that of the document in errors, and field paths start here. */
    ManifestNode asObject(String name) {
        return new ManifestNode(source, object + ": " + name, null, null, 0, value);
    }

    /** The file. */
    public Path file() {
        return source.file();
    }

    /** The line where it starts, from 1; 0 if it is absent. */
    public int line() {
        return source.lines().getOrDefault(value, 0);
    }

    /** The field path within the object, such as {@code spec.ports[1].port}; empty for the object itself. */
    public String path() {
        if (parent == null) {
            return "";
        }
        String before = parent.path();
        if (field == null) {
            return before + "[" + index + "]";
        }
        if (!PLAIN_FIELD.matcher(field).matches()) {
            return before + "[" + field + "]";
        }
        return before.isEmpty() ? field : before + "." + field;
    }

    /** Whether there is nothing, or {@code null}. */
    public boolean isAbsent() {
        return value.isMissingNode();
    }

    /** The field of a mapping; absent if the mapping is absent or does not have it. */
    public ManifestNode get(String field) throws ManifestException {
        return new ManifestNode(source, object, this, field, 0, mapping().get(field));
    }

    /** The names of the fields of a mapping, in the order of the file; none if it is absent. */
    public Set<String> fieldNames() throws ManifestException {
        Set<String> names = new LinkedHashSet<>();
        mapping().fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The items of a list; none if it is absent. */
    public List<ManifestNode> items() throws ManifestException {
        if (!isAbsent() && !value.isArray()) {
            throw expected("a list");
        }
        List<ManifestNode> items = new ArrayList<>(value.size());
        for (int i = 0; i < value.size(); i++) {
            items.add(new ManifestNode(source, object, this, null, i, value.get(i)));
        }
        return items;
    }

    /** A string that must be there and not be empty. */
    public String asString() throws ManifestException {
        String text = asString("");
        if (text.isEmpty()) {
            throw expected("a string");
        }
        return text;
    }

    /** A string, or the default if it is absent. Numbers and booleans without quotes are no strings. */
    public String asString(String absent) throws ManifestException {
        return isAbsent() ? absent : checked(JsonNode::isTextual, "a string").textValue();
    }

    /** One of the given strings, or the default if it is absent. */
    public String asOneOf(List<String> choices, String absent) throws ManifestException {
        String text = asString(absent);
        if (!isAbsent() && !choices.contains(text)) {
            throw expected(String.join(", ", choices));
        }
        return text;
    }

    /** A whole number that must be there, within both bounds. */
    public int asInt(int min, int max) throws ManifestException {
        String range = min + " to " + max;
        BigInteger number = checked(JsonNode::isIntegralNumber, range).bigIntegerValue();
        if (number.compareTo(BigInteger.valueOf(min)) < 0 || number.compareTo(BigInteger.valueOf(max)) > 0) {
            throw expected(range);
        }
        return number.intValue();
    }

    /** A whole number within both bounds, or the default if it is absent. */
    public int asInt(int min, int max, int absent) throws ManifestException {
        return isAbsent() ? absent : asInt(min, max);
    }

    /** A boolean, or the default if it is absent. */
    public boolean asBoolean(boolean absent) throws ManifestException {
        return isAbsent()
                ? absent
                : checked(JsonNode::isBoolean, "true or false").booleanValue();
    }

    /** A list of strings; empty if it is absent. */
    public List<String> asStrings() throws ManifestException {
        List<String> strings = new ArrayList<>();
        for (ManifestNode item : items()) {
            strings.add(item.asString());
        }
        return strings;
    }

    /** A mapping of strings, such as labels, in the order of the file; empty if it is absent. */
    public Map<String, String> asStringMap() throws ManifestException {
        Map<String, String> map = new LinkedHashMap<>();
        for (String field : fieldNames()) {
            map.put(field, get(field).asString(""));
        }
        return map;
    }

    /** An IPv4 or IPv6 address that must be there, also padded as {@link PaddedAddress} reads it. */
    public IpAddress asIp() throws ManifestException {
        String expected = "an IPv4 or IPv6 address";
        try {
            return PaddedAddress.ip(checked(JsonNode::isTextual, expected).textValue());
        } catch (IllegalArgumentException e) {
            throw expected(expected);
        }
    }

    /** A network such as {@code 10.244.0.0/24} that must be there, also padded. */
    public Cidr asCidr() throws ManifestException {
        String expected = "a CIDR such as 10.244.0.0/24";
        try {
            return PaddedAddress.cidr(checked(JsonNode::isTextual, expected).textValue());
        } catch (IllegalArgumentException e) {
            throw expected(expected);
        }
    }

    /** The value as Jackson has it, not to be changed; a missing node if it is absent. */
    public JsonNode json() {
        return value;
    }

    /** An error: this value is not what was expected. */
    public ManifestException expected(String expected) {
        return problem(shown() + " (expected: " + expected + ")");
    }

    /** An error of this value, in words of the caller. */
    public ManifestException problem(String problem) {
        return new ManifestException(file(), object, path(), problem);
    }

    /** The object's name, as in errors. */
    @Override
    public String toString() {
        return object + (path().isEmpty() ? "" : ": " + path());
    }

    private JsonNode mapping() throws ManifestException {
        return isAbsent() ? value : checked(JsonNode::isObject, "a mapping");
    }

    private JsonNode checked(Predicate<JsonNode> type, String expected) throws ManifestException {
        if (!type.test(value)) {
            throw expected(expected);
        }
        return value;
    }

    private String shown() {
        if (isAbsent()) {
            return "missing";
        }
        if (value.isContainerNode()) {
            return value.isArray() ? "a list" : "a mapping";
        }
        String text = value.asText().replaceAll("\\p{Cntrl}", "?");
        String cut = text.length() <= MAX_SHOWN_CHARS ? text : text.substring(0, MAX_SHOWN_CHARS) + "...";
        return value.isTextual() ? "\"" + cut + "\"" : cut;
    }
}
