package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Fields that appear twice in a JSON text. A tree of it has only the last one. */
public final class DuplicateFields {
    private static final JsonFactory JSON = new JsonFactory();

    private final List<String> found = new ArrayList<>();

    private DuplicateFields() {}

    /** Each as {@code duplicate field "spec.replicas"}. What is no JSON has none. */
    public static List<String> in(byte[] json) {
        DuplicateFields duplicates = new DuplicateFields();
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            duplicates.value(parser, "");
        } catch (IOException e) {
            return List.of();
        }
        return duplicates.found;
    }

    private void value(JsonParser parser, String path) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            object(parser, path);
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
                value(parser, path + "[" + i + "]");
            }
        }
    }

    private void object(JsonParser parser, String path) throws IOException {
        Set<String> names = new HashSet<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            String place = path.isEmpty() ? name : path + "." + name;
            if (!names.add(name)) {
                found.add("duplicate field \"" + place + "\"");
            }
            parser.nextToken();
            value(parser, place);
        }
    }
}
