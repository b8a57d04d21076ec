package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Fields that appear twice in a JSON text. A tree keeps only the last one. */
public final class DuplicateFields {
    private static final JsonFactory JSON = new JsonFactory();

    /** The limit of kube-apiserver: further ones are not reported. */
    private static final int FOUND_MAX = 100;

    /** The place of the parser: names, and positions in brackets. */
    private final Deque<String> path = new ArrayDeque<>();

    private final List<String> found = new ArrayList<>();

    private DuplicateFields() {}

    /** Each as {@code duplicate field "spec.replicas"}. None for a text that is no JSON. */
    public static List<String> in(byte[] json) {
        DuplicateFields duplicates = new DuplicateFields();
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            duplicates.value(parser);
        } catch (IOException e) {
            return List.of();
        }
        return duplicates.found;
    }

    private void value(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            object(parser);
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
                path.addLast("[" + i + "]");
                value(parser);
                path.removeLast();
            }
        }
    }

    private void object(JsonParser parser) throws IOException {
        Set<String> names = new HashSet<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            path.addLast("." + parser.currentName());
            if (!names.add(parser.currentName()) && found.size() < FOUND_MAX) {
                found.add("duplicate field \"" + String.join("", path).substring(1) + "\"");
            }
            parser.nextToken();
            value(parser);
            path.removeLast();
        }
    }
}
