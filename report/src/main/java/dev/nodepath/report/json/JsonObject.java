package dev.nodepath.report.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.nodepath.report.ReportException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An object of a JSON text, whose fields are asked for by name and type; what is not as expected is named with its place.
 *
 * @param place such as {@code report.json: suites[0]}
 * @param fields their values: String, Double, Boolean, List, Map or null
 */
record JsonObject(String place, Map<String, @Nullable Object> fields) {
    private static final int DEPTH_MAX = 50;

    /** Characters of a wrong value that an error shows. */
    private static final int SEEN_MAX = 80;

    /** Parses a text that has to be one object. */
    static JsonObject parse(String place, String text) throws ReportException {
        try (JsonParser parser = new JsonFactory().createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new ReportException(place + ": no JSON object (expected: a report)");
            }
            return new JsonObject(place, object(parser, 0));
        } catch (IOException e) {
            throw new ReportException(place + ": "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse("") + " (expected: JSON)");
        }
    }

    private static Map<String, @Nullable Object> object(JsonParser parser, int depth) throws IOException {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, value(parser, depth + 1));
        }
        return fields;
    }

    private static @Nullable Object value(JsonParser parser, int depth) throws IOException {
        if (depth > DEPTH_MAX) {
            throw new IOException("nested deeper than " + DEPTH_MAX);
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser, depth);
            case START_ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser, depth + 1));
                }
                yield list;
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE, VALUE_FALSE -> parser.getBooleanValue();
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    String text(String name) throws ReportException {
        if (fields.get(name) instanceof String text) {
            return text;
        }
        throw wrong(name, "a text");
    }

    Optional<String> optionalText(String name) throws ReportException {
        return fields.get(name) == null ? Optional.empty() : Optional.of(text(name));
    }

    boolean flag(String name) throws ReportException {
        if (fields.get(name) instanceof Boolean flag) {
            return flag;
        }
        throw wrong(name, "true or false");
    }

    /** A number; NaN for null, which is what one that could not be measured is written as. */
    double number(String name) throws ReportException {
        if (fields.get(name) instanceof Double number) {
            return number;
        }
        if (fields.containsKey(name) && fields.get(name) == null) {
            return Double.NaN;
        }
        throw wrong(name, "a number");
    }

    List<Double> numbers(String name) throws ReportException {
        List<Double> numbers = new ArrayList<>();
        for (Object element : list(name)) {
            if (element != null && !(element instanceof Double)) {
                throw wrong(name, "numbers");
            }
            numbers.add(element instanceof Double number ? number : Double.NaN);
        }
        return numbers;
    }

    List<String> texts(String name) throws ReportException {
        List<String> texts = new ArrayList<>();
        for (Object element : list(name)) {
            if (!(element instanceof String text)) {
                throw wrong(name, "texts");
            }
            texts.add(text);
        }
        return texts;
    }

    public Map<String, String> strings(String name) throws ReportException {
        JsonObject object = object(name);
        Map<String, String> strings = new LinkedHashMap<>();
        for (String key : object.fields().keySet()) {
            strings.put(key, object.text(key));
        }
        return strings;
    }

    public JsonObject object(String name) throws ReportException {
        return optionalObject(name).orElseThrow(() -> wrong(name, "an object"));
    }

    Optional<JsonObject> optionalObject(String name) throws ReportException {
        Object value = fields.get(name);
        return value == null ? Optional.empty() : Optional.of(object(name, value));
    }

    public List<JsonObject> objects(String name) throws ReportException {
        List<JsonObject> objects = new ArrayList<>();
        for (Object element : list(name)) {
            objects.add(object(name + "[" + objects.size() + "]", element));
        }
        return objects;
    }

    @SuppressWarnings("unchecked") // Every map here was made by object() above.
    private JsonObject object(String name, @Nullable Object value) throws ReportException {
        if (value instanceof Map<?, ?> map) {
            return new JsonObject(place + ": " + name, (Map<String, @Nullable Object>) map);
        }
        throw wrong(name, String.valueOf(value), "an object");
    }

    private List<?> list(String name) throws ReportException {
        if (fields.get(name) instanceof List<?> list) {
            return list;
        }
        throw wrong(name, "a list");
    }

    private ReportException wrong(String name, String expected) {
        return wrong(name, fields.containsKey(name) ? String.valueOf(fields.get(name)) : "missing", expected);
    }

    private ReportException wrong(String name, String seen, String expected) {
        String shortened = seen.length() > SEEN_MAX ? seen.substring(0, SEEN_MAX) + "..." : seen;
        return new ReportException(place + ": " + name + ": " + shortened + " (expected: " + expected + ")");
    }
}
