package dev.nodepath.apiserver.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/** The texts of {@code kubectl explain} about types and fields in this cluster: the file {@code descriptions.txt}. */
final class Descriptions {
    private static final Map<String, String> WORDS = read();

    private Descriptions() {}

    /**
     * The text of a type or of its field, such as {@code core.v1.Pod} and {@code core.v1.PodSpec.volumes}; empty for
     * most.
     */
    static String of(String name) {
        return WORDS.getOrDefault(name, "");
    }

    private static Map<String, String> read() {
        Map<String, String> words = new HashMap<>();
        try (InputStream in = Descriptions.class.getResourceAsStream("descriptions.txt")) {
            if (in == null) {
                throw new IllegalStateException("missing resource descriptions.txt");
            }
            for (String line : new String(in.readAllBytes(), UTF_8).lines().toList()) {
                int space = line.indexOf(' ');
                if (space > 0 && !line.startsWith("#")) {
                    words.put(line.substring(0, space), line.substring(space + 1));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return words;
    }
}
