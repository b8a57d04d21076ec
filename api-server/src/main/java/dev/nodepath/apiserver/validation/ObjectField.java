package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.nodepath.apiserver.StatusException.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A place in an object: its value, its path, and the list that takes complaints about it. The words are those of
 * apimachinery's {@code field.Error}.
 */
public final class ObjectField {
    private static final String INVALID = "FieldValueInvalid";

    /** The most complaints about one object. */
    private static final int CAUSES_MAX = 200;

    private final JsonNode value;
    private final String path;
    private final List<Cause> causes;

    private ObjectField(JsonNode value, String path, List<Cause> causes) {
        this.value = value;
        this.path = path;
        this.causes = causes;
    }

    /** The object itself. */
    public static ObjectField root(JsonNode object, List<Cause> causes) {
        return new ObjectField(object, "", causes);
    }

    /** A field of this object. */
    public ObjectField at(String name) {
        return new ObjectField(value.path(name), path.isEmpty() ? name : path + "." + name, causes);
    }

    /** A value of this map, with a path in brackets. */
    public ObjectField key(String key) {
        return new ObjectField(value.path(key), path + "[" + key + "]", causes);
    }

    /** The items of this list. */
    public List<ObjectField> items() {
        List<ObjectField> items = new ArrayList<>();
        for (int i = 0; i < value.size(); i++) {
            items.add(new ObjectField(value.path(i), path + "[" + i + "]", causes));
        }
        return items;
    }

    /** The names of this object's fields, or the keys of this map. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        value.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The path of the same place with another value, for complaints. */
    public ObjectField showing(JsonNode other) {
        return new ObjectField(other, path, causes);
    }

    /** The value; missing if there is none. */
    public JsonNode value() {
        return value;
    }

    /** Whether there is a value that is not an empty text, list or map. */
    public boolean isSet() {
        return !(value.isMissingNode()
                || value.isNull()
                || (value.isTextual() && value.textValue().isEmpty())
                || (value.isContainerNode() && value.isEmpty()));
    }

    /** Whether there is a value, even an empty one. */
    public boolean isPresent() {
        return !value.isMissingNode() && !value.isNull();
    }

    /** The text; empty if there is none. */
    public String text() {
        return value.asText("");
    }

    /** The number; 0 if there is none. */
    public long number() {
        return value.asLong(0);
    }

    /** The texts of this list. */
    public List<String> texts() {
        List<String> texts = new ArrayList<>();
        value.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    /** Complains if the value is absent. */
    public void required(String detail) {
        add("FieldValueRequired", "Required value" + (detail.isEmpty() ? "" : ": " + detail));
    }

    /** Complains if the value is absent; returns whether it is there. */
    public boolean require(String detail) {
        if (!isSet()) {
            required(detail);
        }
        return isSet();
    }

    /** The value breaks a rule. */
    public void invalid(String why) {
        add(INVALID, "Invalid value: " + GoText.of(value) + ": " + why);
    }

    /** A part of the value, or a substitute text, breaks a rule. */
    public void invalid(String shown, String why) {
        add(INVALID, "Invalid value: " + GoText.quote(shown) + ": " + why);
    }

    /** The value breaks a rule as a whole, and is not shown. */
    public void broken(String why) {
        add(INVALID, "Invalid value: " + why);
    }

    /** All these rules are broken. */
    public void invalid(List<String> whys) {
        whys.forEach(this::invalid);
    }

    /** The value is not among the supported ones. */
    public void unsupported(List<String> supported) {
        add(
                "FieldValueNotSupported",
                "Unsupported value: " + GoText.of(value) + ": supported values: "
                        + supported.stream().map(GoText::quote).collect(Collectors.joining(", ")));
    }

    /** The value, if there is one, must be one of these. */
    public void oneOf(String... supported) {
        if (isSet() && !List.of(supported).contains(text())) {
            unsupported(List.of(supported));
        }
    }

    /** Another item has this value already. */
    public void duplicate() {
        add("FieldValueDuplicate", "Duplicate value: " + GoText.of(value));
    }

    /** Another item has this value already; the message shows it in another form. */
    public void duplicate(String shown) {
        add("FieldValueDuplicate", "Duplicate value: " + shown);
    }

    /** The value refers to an absent object. */
    public void notFound() {
        add("FieldValueNotFound", "Not found: " + GoText.of(value));
    }

    /** A value is not allowed here. */
    public void forbidden(String why) {
        add("FieldValueForbidden", "Forbidden: " + why);
    }

    /** The value is too long. */
    public void tooLong(int max) {
        add("FieldValueTooLong", "Too long: may not be more than " + max + " bytes");
    }

    /** The list is too long. */
    public void tooMany(int max) {
        add("FieldValueTooMany", "Too many: " + value.size() + ": must have at most " + max + " items");
    }

    /** A number, if there is one, must not be negative. */
    public void notNegative() {
        if (number() < 0) {
            invalid("must be greater than or equal to 0");
        }
    }

    /** A number must be of a range. */
    public void between(long least, long most) {
        if (number() < least || number() > most) {
            showing(value.isMissingNode() ? IntNode.valueOf(0) : value)
                    .invalid("must be between " + least + " and " + most + ", inclusive");
        }
    }

    private void add(String reason, String message) {
        Cause cause = new Cause(reason, message, path);
        if (causes.size() < CAUSES_MAX && !causes.contains(cause)) {
            causes.add(cause);
        }
    }
}
