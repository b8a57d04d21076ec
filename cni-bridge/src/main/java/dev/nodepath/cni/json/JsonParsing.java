package dev.nodepath.cni.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a network configuration's JSON, token by token: no binding, no reflection. */
public final class JsonParsing {
    /** The limit of nested objects and lists. */
    private static final int DEPTH_MAX = 64;

    private JsonParsing() {}

    /**
     * Parses a JSON object. If a key occurs twice, in any case, the last one counts.
     *
     * @throws CniException code 6 if the bytes are not exactly one JSON object. The message names the position.
     */
    public static JsonObject object(byte[] text) throws CniException {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(DEPTH_MAX)
                        .build())
                .build();
        try (JsonParser parser = factory.createParser(text)) {
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
            throw new CniException(
                    ErrorCode.DECODING_FAILURE,
                    "network configuration: " + e.getOriginalMessage() + where(e.getLocation()),
                    e);
        } catch (IOException e) {
            // Invalid UTF-8 causes a plain CharConversionException.
            throw new CniException(ErrorCode.DECODING_FAILURE, "network configuration: " + e.getMessage(), e);
        }
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
        JsonParser.NumberType type = parser.getNumberType();
        return type == JsonParser.NumberType.BIG_INTEGER
                ? new JsonObject.OddNumber(parser.getText())
                : Long.valueOf(parser.getLongValue());
    }

    private static String where(@Nullable JsonLocation location) {
        return location == null ? "" : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }
}
