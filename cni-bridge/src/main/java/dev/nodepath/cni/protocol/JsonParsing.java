package dev.nodepath.cni.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a network configuration's JSON, token by token: no binding, no reflection. */
public final class JsonParsing {
    /** Deeper values are neither kept nor checked. No command needs such a deep value. */
    private static final int DEPTH_MAX = 64;

    private static final int LONG_CHARS_MAX = "-9223372036854775808".length();

    private JsonParsing() {}

    /**
     * Parses a JSON object. If a key occurs twice, in any case, the last one counts. Numbers and keys may be as long as
     * the text.
     *
     * @throws CniException code 6 if the bytes are not exactly one JSON object. The message names the position.
     */
    public static JsonObject object(byte[] text) throws CniException {
        JsonFactory factory = JsonFactory.builder()
                .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNumberLength(Integer.MAX_VALUE)
                        .maxNameLength(Integer.MAX_VALUE)
                        .build())
                .build();
        try (JsonParser parser = factory.createParser(withoutDepth(text))) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new CniException(ErrorCode.DECODING_FAILURE, "network configuration: expected a JSON object");
            }
            Map<String, Object> fields = fields(parser);
            if (parser.nextToken() != null) {
                throw new CniException(
                        ErrorCode.DECODING_FAILURE, "network configuration: unexpected text after the JSON object");
            }
            return new JsonObject("", fields);
        } catch (JsonProcessingException e) {
            String problem = e instanceof JsonEOFException ? "Unexpected end-of-input" : "not JSON";
            throw new CniException(
                    ErrorCode.DECODING_FAILURE,
                    "network configuration: " + problem + where(e.getLocation()) + " (expected: a JSON object)",
                    e);
        } catch (IOException e) {
            // Invalid UTF-8 causes a plain CharConversionException.
            throw new CniException(
                    ErrorCode.DECODING_FAILURE, "network configuration: not UTF-8 (expected: a JSON object)", e);
        }
    }

    /** The text with a zero for each object and list that is too deep. The parser needs memory for each level. */
    private static byte[] withoutDepth(byte[] text) {
        byte[] kept = text;
        int depth = 0;
        boolean inString = false;
        for (int i = 0; i < text.length; i++) {
            byte c = text[i];
            boolean opens = !inString && (c == '{' || c == '[');
            boolean closes = !inString && (c == '}' || c == ']');
            int before = depth;
            depth += opens ? 1 : closes ? -1 : 0;
            if (before > DEPTH_MAX || depth > DEPTH_MAX) {
                if (kept == text) {
                    kept = text.clone();
                }
                kept[i] = (byte) (opens && before == DEPTH_MAX ? '0' : ' ');
            }
            if (inString && c == '\\' && i + 1 < text.length) {
                i++;
                kept[i] = before > DEPTH_MAX ? (byte) ' ' : kept[i];
            } else if (c == '"') {
                inString = !inString;
            }
        }
        return kept;
    }

    private static Map<String, Object> fields(JsonParser parser) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName().toLowerCase(Locale.ROOT);
            parser.nextToken();
            fields.put(key, value(parser));
        }
        return fields;
    }

    private static List<Object> elements(JsonParser parser) throws IOException {
        List<Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            elements.add(value(parser));
        }
        return elements;
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> fields(parser);
            case START_ARRAY -> elements(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT -> integer(parser);
            case VALUE_NUMBER_FLOAT -> new JsonObject.OddNumber(parser.getText());
            case VALUE_NULL -> JsonObject.Null.NULL;
            default -> throw new IOException("unexpected " + parser.currentToken());
        };
    }

    private static Object integer(JsonParser parser) throws IOException {
        String text = parser.getText();
        if (text.length() > LONG_CHARS_MAX) {
            return new JsonObject.OddNumber(text);
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            return new JsonObject.OddNumber(text);
        }
    }

    private static String where(@Nullable JsonLocation location) {
        return location == null ? "" : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }
}
