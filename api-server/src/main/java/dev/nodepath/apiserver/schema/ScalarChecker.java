package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.nodepath.apiserver.resource.WholeNumber;
import dev.nodepath.apiserver.validation.GoText;
import dev.nodepath.apiserver.validation.Quantities;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Single values. A null in a list or a map is the type's zero. */
final class ScalarChecker {
    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/]*");

    private ScalarChecker() {}

    static JsonNode check(Place place, JsonNode value) {
        return switch (place.type().element()) {
            case "string" -> text(place, value);
            case "boolean" -> flag(place, value);
            case "int32" -> integer(place, value, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case "int64" -> integer(place, value, Long.MIN_VALUE, Long.MAX_VALUE);
            case "intOrString" -> intOrString(value);
            case "quantity" -> quantity(value);
            case "time", "microTime" -> time(value);
            case "bytes" -> bytes(place, value);
            default -> value.deepCopy();
        };
    }

    private static JsonNode text(Place place, JsonNode value) {
        if (value.isNull()) {
            return TextNode.valueOf("");
        }
        if (!value.isTextual()) {
            throw place.mistyped(value, place.goElement());
        }
        return value;
    }

    private static JsonNode flag(Place place, JsonNode value) {
        if (value.isNull()) {
            return BooleanNode.FALSE;
        }
        if (!value.isBoolean()) {
            throw place.mistyped(value, "bool");
        }
        return value;
    }

    private static JsonNode integer(Place place, JsonNode value, long least, long most) {
        if (value.isNull()) {
            return IntNode.valueOf(0);
        }
        if (!value.isNumber()) {
            throw place.mistyped(value, place.goElement());
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < least || value.asLong() > most) {
            throw place.mistyped("number " + value, place.goElement());
        }
        return WholeNumber.of(value.asLong());
    }

    private static JsonNode intOrString(JsonNode value) {
        if (value.isTextual()) {
            return value;
        }
        boolean fits = value.isIntegralNumber() && value.canConvertToInt();
        if (!fits) {
            String kind = Place.kind(value) + (value.isNumber() ? " " + value : "");
            throw new MistypedException("json: cannot unmarshal " + kind + " into Go value of type int32");
        }
        return WholeNumber.of(value.asLong());
    }

    private static JsonNode quantity(JsonNode value) {
        String text = value.isNull() ? "0" : value.asText();
        if (!value.isValueNode() || Quantities.parse(text).isEmpty()) {
            throw new MistypedException(Quantities.RULE);
        }
        return TextNode.valueOf(text);
    }

    private static JsonNode time(JsonNode value) {
        try {
            if (value.isTextual()) {
                OffsetDateTime.parse(value.textValue());
                return value;
            }
        } catch (DateTimeException e) {
            // The message follows.
        }
        throw new MistypedException("parsing time " + GoText.of(value)
                + " as \"2006-01-02T15:04:05Z07:00\": cannot parse " + GoText.of(value) + " as \"2006\"");
    }

    private static JsonNode bytes(Place place, JsonNode value) {
        JsonNode text = value.isTextual() || value.isNull() ? text(place, value) : value;
        if (!text.isTextual()) {
            throw place.mistyped(value, "[]uint8");
        }
        try {
            Base64.getDecoder().decode(text.textValue());
        } catch (IllegalArgumentException e) {
            throw new MistypedException("illegal base64 data at input byte " + firstBad(text.textValue()));
        }
        return text;
    }

    private static int firstBad(String text) {
        Matcher good = BASE64.matcher(text);
        return good.lookingAt() ? good.end() : 0;
    }
}
