package dev.nodepath.apiserver.request;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The fields of messages by number: the file {@code fields.txt}. */
final class MessageTypes {
    /**
     * A field.
     *
     * @param name in JSON; {@code *} if its own fields belong to the object itself
     * @param type a message or {@code string}, {@code int}, {@code bool}, {@code double}, {@code bytes}, {@code time},
     *     {@code quantity}, {@code intOrString}, {@code json}
     * @param list whether it may come several times
     * @param map whether it is a map from strings to this type
     */
    record Field(String name, String type, boolean list, boolean map) {}

    private static final Map<String, Map<Integer, Field>> TYPES = read();

    private MessageTypes() {}

    static boolean has(String type) {
        return TYPES.containsKey(type);
    }

    static Map<Integer, Field> of(String type) {
        return TYPES.getOrDefault(type, Map.of());
    }

    private static Map<String, Map<Integer, Field>> read() {
        Map<String, Map<Integer, Field>> types = new HashMap<>();
        Map<Integer, Field> current = new HashMap<>();
        for (String line : lines()) {
            if (!line.startsWith(" ")) {
                current = types.computeIfAbsent(line, name -> new HashMap<>());
                continue;
            }
            List<String> words = List.of(line.trim().split(" ", -1));
            String type = words.get(2);
            boolean list = type.startsWith("[]");
            boolean map = type.startsWith("{}");
            current.put(
                    Integer.valueOf(words.get(0)),
                    new Field(words.get(1), list || map ? type.substring(2) : type, list, map));
        }
        return types;
    }

    private static List<String> lines() {
        try (InputStream in = MessageTypes.class.getResourceAsStream("fields.txt")) {
            if (in == null) {
                throw new IllegalStateException("missing resource fields.txt");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
