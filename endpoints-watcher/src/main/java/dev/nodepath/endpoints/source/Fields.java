package dev.nodepath.endpoints.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A part of an object, with its path. An unusable value is added to the object's problems, and reads as if it were
 * absent. A null is absent, too.
 */
public final class Fields {
    private static final int MAX_PORT = 65535;
    /**
     * The longest list that is read. Kubernetes allows no longer one in a Service or slice (discovery validation: 20
     * 000 ports).
     */
    static final int MAX_ITEMS = 20_000;

    /** A label of RFC 1123, as Kubernetes requires for names of Services, ports and namespaces. */
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    /** A name that a path shows as it is. Others, such as labels, are shown in brackets. */
    private static final Pattern PLAIN = Pattern.compile("[^./]+");

    private static final String IP = "an IPv4 or IPv6 address";

    private static final int NO_ITEM = -1;

    private final JsonNode node;
    private final @Nullable Fields parent;
    private final String name;
    private final int index;
    private final Problems problems;

    /** A field of a parent, or an entry of its list. The path is built only for a problem. */
    private Fields(JsonNode node, @Nullable Fields parent, String name, int index, Problems problems) {
        this.node = node;
        this.parent = parent;
        this.name = name;
        this.index = index;
        this.problems = problems;
    }

    /** A whole object. Another value is a problem. */
    public static Fields of(JsonNode object, Problems problems) {
        if (!isMissing(object) && !object.isObject()) {
            problems.add("", shown(object), "an object");
        }
        return new Fields(object, null, "", NO_ITEM, problems);
    }

    /** The names of the fields, in their order. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** A value as Jackson has it, not to be changed; a missing node if it is absent. */
    public JsonNode json(String name) {
        return node.path(name);
    }

    /** A field that is an object; an empty object if it is absent. */
    public Fields object(String name) {
        JsonNode value = node.path(name);
        if (!isMissing(value) && !value.isObject()) {
            problem(name, value, "an object");
        }
        return item(name);
    }

    /** The entries of a field that is a list of objects. */
    public List<Fields> objects(String name) {
        List<Fields> objects = new ArrayList<>();
        for (Fields item : items(name)) {
            if (item.node.isObject()) {
                objects.add(item);
            } else {
                problems.add(item.path(), shown(item.node), "an object");
            }
        }
        return objects;
    }

    /** A field that is a string; empty if it is absent. */
    public String text(String name) {
        return item(name).text();
    }

    /** A field that is a string and not empty. An absent one is a problem. */
    public String requiredText(String name) {
        String text = text(name);
        if (text.isEmpty() && (!has(name) || json(name).isTextual())) {
            problem(name, "a string");
        }
        return text;
    }

    /** The strings in a list, unchanged; empty if it is absent. */
    public List<String> texts(String name) {
        return items(name).stream().map(Fields::text).toList();
    }

    /** A field that maps names to strings, such as labels, in its order; empty if it is absent. */
    public Map<String, String> textMap(String name) {
        Fields object = object(name);
        Map<String, String> map = new LinkedHashMap<>();
        object.names().forEach(key -> map.put(key, object.text(key)));
        return map;
    }

    /** A field that is one of these strings. The first one is the default. */
    public String oneOf(String name, List<String> choices) {
        String text = text(name);
        if (text.isEmpty() || choices.contains(text)) {
            return text.isEmpty() ? choices.get(0) : text;
        }
        problem(name, text, String.join(", ", choices));
        return choices.get(0);
    }

    /** Whether a text is a DNS label. If not, it adds a problem of the field. */
    boolean isLabel(String name, String text) {
        if (LABEL.matcher(text).matches()) {
            return true;
        }
        problem(name, text, "a DNS label: at most 63 of a-z, 0-9 and -");
        return false;
    }

    /** A label or annotation of the object; empty if it is absent. */
    String metadata(String map, String key) {
        return object("metadata").object(map).text(key);
    }

    /** A field that is a boolean. */
    public boolean flag(String name, boolean otherwise) {
        JsonNode value = node.path(name);
        if (value.isBoolean() || isMissing(value)) {
            return value.asBoolean(otherwise);
        }
        problem(name, value, "true or false");
        return otherwise;
    }

    /** Whether a field is a list that begins with a scalar. */
    boolean hasItems(String name) {
        return node.path(name).path(0).isValueNode();
    }

    /** Whether a field is there, and not null. */
    public boolean has(String name) {
        return !isMissing(node.path(name));
    }

    /** A field that is a port number; 0 if it is none. An absent one is a problem. */
    public int port(String name) {
        if (!has(name)) {
            problem(name, "1 to " + MAX_PORT);
        }
        return number(name, 1, MAX_PORT, 0);
    }

    /** A field that is a port number; 0 if it is 0 or absent. */
    public int optionalPort(String name) {
        return number(name, 0, MAX_PORT, 0);
    }

    /** A field that is a whole number within bounds. */
    public int number(String name, int least, int most, int otherwise) {
        JsonNode value = node.path(name);
        if (isMissing(value)) {
            return otherwise;
        }
        if (value.isIntegralNumber()
                && value.canConvertToInt()
                && value.intValue() >= least
                && value.intValue() <= most) {
            return value.intValue();
        }
        problem(name, value, least + " to " + most);
        return otherwise;
    }

    /** A field that is an address. An absent one is a problem. */
    public Optional<IpAddress> ip(String name) {
        return item(name).ip();
    }

    /** The addresses in a list. */
    public List<IpAddress> ips(String name) {
        List<IpAddress> ips = new ArrayList<>();
        items(name).forEach(item -> item.ip().ifPresent(ips::add));
        return ips;
    }

    /** The first address in a list. */
    Optional<IpAddress> firstIp(String name) {
        List<Fields> items = items(name);
        if (items.isEmpty()) {
            problem(name, node.path(name), "a list that is not empty");
        }
        return items.isEmpty() ? Optional.empty() : items.get(0).ip();
    }

    /** The networks in a list. */
    List<Cidr> cidrs(String name) {
        List<Cidr> cidrs = new ArrayList<>();
        items(name).forEach(item -> cidrs.addAll(item.cidr()));
        return cidrs;
    }

    /** The network in a field, as a list of one; empty if it is unusable. */
    List<Cidr> cidr(String name) {
        return item(name).cidr();
    }

    /** Adds a problem of a field with this value. */
    public void problem(String name, Object was, String expected) {
        problems.add(at(name), was instanceof JsonNode value ? shown(value) : was, expected);
    }

    /** Adds a problem of a field with its own value. */
    public void problem(String name, String expected) {
        problem(name, node.path(name), expected);
    }

    /** Adds a problem of a field, in words. */
    public void refuse(String name, String problem) {
        problems.add(at(name), problem);
    }

    private Fields item(String name) {
        return new Fields(node.path(name), this, name, NO_ITEM, problems);
    }

    private String text() {
        if (!node.isTextual() && !isMissing(node)) {
            problems.add(path(), shown(node), "a string");
        }
        return node.isTextual() ? node.textValue() : "";
    }

    private Optional<IpAddress> ip() {
        try {
            return Optional.of(PaddedAddress.ip(node.isTextual() ? node.textValue() : ""));
        } catch (IllegalArgumentException e) {
            problems.add(path(), shown(node), IP);
            return Optional.empty();
        }
    }

    private List<Cidr> cidr() {
        try {
            return List.of(PaddedAddress.cidr(node.isTextual() ? node.textValue() : ""));
        } catch (IllegalArgumentException e) {
            problems.add(path(), shown(node), "a CIDR such as 10.244.0.0/24");
            return List.of();
        }
    }

    private List<Fields> items(String name) {
        JsonNode value = node.path(name);
        if (!value.isArray()) {
            if (!isMissing(value)) {
                problem(name, value, "a list");
            }
            return List.of();
        }
        List<Fields> items = new ArrayList<>(Math.min(value.size(), MAX_ITEMS));
        Iterator<JsonNode> from = value.elements();
        while (from.hasNext() && items.size() < MAX_ITEMS) {
            items.add(new Fields(from.next(), this, name, items.size(), problems));
        }
        if (from.hasNext()) {
            problem(name, value.size() + " entries", "at most " + MAX_ITEMS);
        }
        return items;
    }

    private String at(String field) {
        String path = path();
        if (!PLAIN.matcher(field).matches()) {
            return path + "[" + field + "]";
        }
        return path.isEmpty() ? field : path + "." + field;
    }

    private String path() {
        return parent == null ? "" : parent.at(name) + (index == NO_ITEM ? "" : "[" + index + "]");
    }

    private static boolean isMissing(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    /** The text of a value in errors: a scalar as it is, a list or object by its type. */
    private static Object shown(JsonNode value) {
        if (value.isTextual()) {
            return value.textValue();
        }
        if (isMissing(value)) {
            return new Raw("missing");
        }
        return new Raw(value.isArray() ? "a list" : value.isObject() ? "an object" : value.asText());
    }

    /** Shown without quotation marks. */
    private record Raw(String text) {
        @Override
        public String toString() {
            return text;
        }
    }
}
