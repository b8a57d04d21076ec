package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Unneeded fields of the objects in a list. A large list leaves them out: they are most of a Pod.
 *
 * @param here the names of such fields
 * @param below unneeded fields below other fields; entries of an array count as their field
 */
public record UnreadFields(Set<String> here, Map<String, UnreadFields> below) {
    private static final UnreadFields NONE = new UnreadFields(Set.of(), Map.of());

    public UnreadFields {
        here = Set.copyOf(here);
        below = Map.copyOf(below);
    }

    /** Fields by their paths, as {@code spec.containers.env}. */
    public static UnreadFields of(List<String> paths) {
        UnreadFields all = NONE;
        for (String path : paths) {
            all = all.and(path);
        }
        return all;
    }

    private UnreadFields and(String path) {
        int dot = path.indexOf('.');
        if (dot < 0) {
            Set<String> more = new HashSet<>(here);
            more.add(path);
            return new UnreadFields(more, below);
        }
        Map<String, UnreadFields> more = new HashMap<>(below);
        String first = path.substring(0, dot);
        more.put(first, below.getOrDefault(first, NONE).and(path.substring(dot + 1)));
        return new UnreadFields(here, more);
    }

    /** The value at a parser without these fields. */
    JsonNode read(ObjectMapper mapper, JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            ObjectNode object = mapper.createObjectNode();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                if (here.contains(name)) {
                    parser.skipChildren();
                } else {
                    object.set(name, below.getOrDefault(name, NONE).read(mapper, parser));
                }
            }
            return object;
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            ArrayNode array = mapper.createArrayNode();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                array.add(read(mapper, parser));
            }
            return array;
        }
        return parser.currentToken() == JsonToken.VALUE_STRING
                ? mapper.getNodeFactory().textNode(parser.getText())
                : mapper.readTree(parser);
    }
}
