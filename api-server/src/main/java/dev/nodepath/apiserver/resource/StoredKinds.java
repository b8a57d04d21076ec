package dev.nodepath.apiserver.resource;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The kinds of {@code kinds.txt}: they are data, without code of their own.
 *
 * @param stored the kinds whose objects are stored
 * @param reviews the kinds of questions, which are answered and not stored
 * @param columns of a kind: titles and expressions, as in the file
 */
record StoredKinds(List<Resource> stored, List<Resource> reviews, Map<Resource, List<String>> columns) {
    private static final int WORDS = 8;

    StoredKinds {
        stored = List.copyOf(stored);
        reviews = List.copyOf(reviews);
        columns = Map.copyOf(columns);
    }

    static StoredKinds read() {
        try (InputStream in = StoredKinds.class.getResourceAsStream("kinds.txt")) {
            if (in == null) {
                throw new IllegalStateException("missing resource kinds.txt");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Resource named(String plural) {
        return stored.stream()
                .filter(each -> each.plural().equals(plural))
                .findFirst()
                .orElseThrow();
    }

    private static StoredKinds parse(String text) {
        List<Resource> stored = new ArrayList<>();
        List<Resource> reviews = new ArrayList<>();
        Map<Resource, List<String>> columns = new HashMap<>();
        List<String> current = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (line.startsWith(" ")) {
                current.add(line.strip());
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                String[] words = line.split(" ", -1);
                if (words.length != WORDS) {
                    throw new IllegalStateException("kinds.txt: " + WORDS + " words expected, was: " + line);
                }
                Resource kind = kind(words);
                (words[6].equals("review") ? reviews : stored).add(kind);
                current = columns.computeIfAbsent(kind, each -> new ArrayList<>());
            }
        }
        return new StoredKinds(stored, reviews, columns);
    }

    private static Resource kind(String[] words) {
        return new Resource(
                words[0].equals("core") ? "" : words[0],
                words[1],
                words[2],
                words[3],
                words[4].equals("N"),
                list(words[5]),
                words[6].equals("review") ? List.of() : list(words[6]),
                list(words[7]));
    }

    private static List<String> list(String word) {
        return word.equals("-") ? List.of() : List.of(word.split(",", -1));
    }
}
