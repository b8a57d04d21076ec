package dev.nodepath.endpoints.source.manifests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.nodepath.endpoints.source.PaddedAddress;
import dev.nodepath.endpoints.source.manifests.YamlValue.Mapping;
import dev.nodepath.endpoints.source.manifests.YamlValue.Scalar;
import dev.nodepath.endpoints.source.manifests.YamlValue.ScalarType;
import dev.nodepath.endpoints.source.manifests.YamlValue.Sequence;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of one place in a manifest: a field, an item or the whole object, which may be absent. An absent
 * place and a {@code null} are the same, as in Kubernetes. The getters check what they read; each throws a
 * {@link ManifestException} whose line names file, object, field path, value and what was expected.
 */
public final class ManifestNode {
    private static final int MAX_SHOWN_CHARS = 80;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern PLAIN_FIELD = Pattern.compile("[A-Za-z0-9_-]+");

    private final Path file;
    private final String object;
    private final @Nullable ManifestNode parent;
    private final @Nullable String field;
    private final int index;
    private final @Nullable YamlValue value;

    private ManifestNode(
            Path file,
            String object,
            @Nullable ManifestNode parent,
            @Nullable String field,
            int index,
            @Nullable YamlValue value) {
        this.file = file;
        this.object = object;
        this.parent = parent;
        this.field = field;
        this.index = index;
        this.value = value instanceof Scalar scalar && scalar.type() == ScalarType.NULL ? null : value;
    }

    /** The whole of a document; {@code object} names it in errors. */
    static ManifestNode root(Path file, String object, YamlValue value) {
        return new ManifestNode(file, object, null, null, 0, value);
    }

    /** The same place as an object of its own: named so in errors, after the document, and the start of field paths. */
    ManifestNode asObject(String name) {
        return new ManifestNode(file, object + ": " + name, null, null, 0, value);
    }

    /** The file it stands in. */
    public Path file() {
        return file;
    }

    /** The line it starts in, from 1; 0 if it is absent. */
    public int line() {
        return value == null ? 0 : value.line();
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
        return value == null;
    }

    /** The field of a mapping; absent if the mapping is absent or does not have it. */
    public ManifestNode get(String field) throws ManifestException {
        return new ManifestNode(
                file,
                object,
                this,
                field,
                0,
                value == null ? null : mapping().fields().get(field));
    }

    /** The names of the fields of a mapping, in the order of the file; none if it is absent. */
    public Set<String> fieldNames() throws ManifestException {
        return value == null ? Set.of() : mapping().fields().keySet();
    }

    /** The items of a list; none if it is absent. */
    public List<ManifestNode> items() throws ManifestException {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof Sequence sequence)) {
            throw expected("a list");
        }
        List<ManifestNode> items = new ArrayList<>(sequence.items().size());
        for (int i = 0; i < sequence.items().size(); i++) {
            items.add(new ManifestNode(
                    file, object, this, null, i, sequence.items().get(i)));
        }
        return items;
    }

    /** A string that must be there and not be empty. */
    public String asString() throws ManifestException {
        String text = value == null ? "" : asString("");
        if (text.isEmpty()) {
            throw expected("a string");
        }
        return text;
    }

    /** A string, or the default if it is absent. Numbers and booleans without quotes are no strings. */
    public String asString(String absent) throws ManifestException {
        return value == null ? absent : scalar(ScalarType.STRING, "a string").text();
    }

    /** One of the given strings, or the default if it is absent. */
    public String asOneOf(List<String> choices, String absent) throws ManifestException {
        String text = asString(absent);
        if (value != null && !choices.contains(text)) {
            throw expected(String.join(", ", choices));
        }
        return text;
    }

    /** A whole number that must be there, within both bounds. */
    public int asInt(int min, int max) throws ManifestException {
        String range = min + " to " + max;
        BigInteger number = integer(scalar(ScalarType.INTEGER, range));
        if (number.compareTo(BigInteger.valueOf(min)) < 0 || number.compareTo(BigInteger.valueOf(max)) > 0) {
            throw expected(range);
        }
        return number.intValue();
    }

    /** A whole number within both bounds, or the default if it is absent. */
    public int asInt(int min, int max, int absent) throws ManifestException {
        return value == null ? absent : asInt(min, max);
    }

    /** A boolean, or the default if it is absent. */
    public boolean asBoolean(boolean absent) throws ManifestException {
        return value == null ? absent : bool(scalar(ScalarType.BOOLEAN, "true or false"));
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
            return PaddedAddress.ip(scalar(ScalarType.STRING, expected).text());
        } catch (IllegalArgumentException e) {
            throw expected(expected);
        }
    }

    /** A network such as {@code 10.244.0.0/24} that must be there, also padded. */
    public Cidr asCidr() throws ManifestException {
        String expected = "a CIDR such as 10.244.0.0/24";
        try {
            return PaddedAddress.cidr(scalar(ScalarType.STRING, expected).text());
        } catch (IllegalArgumentException e) {
            throw expected(expected);
        }
    }

    /**
     * The value as plain Java: String, Boolean, BigInteger, Double, List or Map of such with String keys, or null. A
     * number that is written without quotes is a number.
     */
    public @Nullable Object raw() {
        return raw(value);
    }

    /** The same as Jackson has it; a missing node if it is absent. */
    JsonNode json() {
        return value == null ? MissingNode.getInstance() : JSON.valueToTree(raw(value));
    }

    /** The error that this place holds something else than what is expected of it. */
    public ManifestException expected(String expected) {
        return problem(shown() + " (expected: " + expected + ")");
    }

    /** An error at this place, in words of the caller. */
    public ManifestException problem(String problem) {
        String path = path();
        return new ManifestException(file, object, path, problem);
    }

    /** The object's name, as in errors. */
    @Override
    public String toString() {
        return object + (path().isEmpty() ? "" : ": " + path());
    }

    private Mapping mapping() throws ManifestException {
        if (!(value instanceof Mapping mapping)) {
            throw expected("a mapping");
        }
        return mapping;
    }

    private Scalar scalar(ScalarType type, String expected) throws ManifestException {
        if (!(value instanceof Scalar scalar) || scalar.type() != type) {
            throw expected(expected);
        }
        return scalar;
    }

    private String shown() {
        if (value == null) {
            return "missing";
        }
        if (!(value instanceof Scalar scalar)) {
            return value instanceof Sequence ? "a list" : "a mapping";
        }
        String text = scalar.text().replaceAll("\\p{Cntrl}", "?");
        String cut = text.length() <= MAX_SHOWN_CHARS ? text : text.substring(0, MAX_SHOWN_CHARS) + "...";
        return scalar.type() == ScalarType.STRING ? "\"" + cut + "\"" : cut;
    }

    private static @Nullable Object raw(@Nullable YamlValue value) {
        if (value instanceof Mapping mapping) {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            mapping.fields().forEach((field, item) -> map.put(field, raw(item)));
            return map;
        }
        if (value instanceof Sequence sequence) {
            List<@Nullable Object> list = new ArrayList<>();
            sequence.items().forEach(item -> list.add(raw(item)));
            return list;
        }
        if (!(value instanceof Scalar scalar)) {
            return null;
        }
        return switch (scalar.type()) {
            case STRING -> scalar.text();
            case INTEGER -> integer(scalar);
            case FLOAT -> number(scalar.text().toLowerCase(Locale.ROOT));
            case BOOLEAN -> bool(scalar);
            case NULL -> null;
        };
    }

    /** The forms of the YAML 1.2 core schema: decimal, 0o octal, 0x hexadecimal. */
    private static BigInteger integer(Scalar scalar) {
        String text = scalar.text();
        if (text.startsWith("0x")) {
            return new BigInteger(text.substring(2), 16);
        }
        return text.startsWith("0o") ? new BigInteger(text.substring(2), 8) : new BigInteger(text);
    }

    private static double number(String text) {
        return switch (text) {
            case ".inf", "+.inf" -> Double.POSITIVE_INFINITY;
            case "-.inf" -> Double.NEGATIVE_INFINITY;
            case ".nan" -> Double.NaN;
            default -> Double.parseDouble(text);
        };
    }

    private static boolean bool(Scalar scalar) {
        return scalar.text().equalsIgnoreCase("true");
    }
}
