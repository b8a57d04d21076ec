package dev.nodepath.linux.iptables;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A table as {@code iptables-save} lists it.
 *
 * @param builtins the kernel's own chains: those with a policy
 * @param rules by chain, built-in ones too: the specifications of its rules in order, as printed
 */
public record SavedTable(Set<String> builtins, Map<String, List<String>> rules) {

    /** A table that does not exist yet. */
    public static final SavedTable EMPTY = new SavedTable(Set.of(), Map.of());

    /** Reads the listing of one table; an empty text is a table that does not exist yet. */
    public static SavedTable parse(String text) {
        Builder table = new Builder();
        text.lines()
                .map(line -> line.getBytes(StandardCharsets.UTF_8))
                .forEach(line -> table.add(line, 0, line.length));
        return table.build();
    }

    /** Reads the listing of several tables. Unknown tables are left out. */
    public static Map<Table, SavedTable> parseAll(String text) {
        try {
            return new ListingReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))).read();
        } catch (IOException e) {
            throw new UncheckedIOException("an array could not be read", e);
        }
    }

    /** The chains that are not the kernel's own. */
    public Set<String> userChains() {
        Set<String> chains = new LinkedHashSet<>(rules.keySet());
        chains.removeAll(builtins);
        return chains;
    }

    /** The rules of a chain; none if there is no such chain. */
    public List<String> rules(String chain) {
        return rules.getOrDefault(chain, List.of());
    }

    /** Builds a table from its lines. */
    static final class Builder {
        private final Set<String> builtins = new LinkedHashSet<>();
        private final Map<String, List<String>> rules = new LinkedHashMap<>();
        /** The last chain: the rules of a chain are listed together. */
        private byte[] last = {};

        private List<String> ofLast = List.of();

        /**
         * Adds the line from {@code from} to {@code to}, exclusive. It skips lines that are neither a chain nor a rule.
         */
        void add(byte[] bytes, int from, int to) {
            if (to - from > 3 && bytes[from] == '-' && bytes[from + 1] == 'A') {
                addRule(bytes, from + 3, to);
            } else if (to > from && bytes[from] == ':') {
                int nameEnd = wordEnd(bytes, from, to);
                String name = text(bytes, from + 1, nameEnd);
                rules.put(name, new ArrayList<>());
                if (nameEnd + 1 < to && bytes[nameEnd + 1] != '-') {
                    builtins.add(name);
                }
            }
        }

        private void addRule(byte[] bytes, int from, int to) {
            int nameEnd = wordEnd(bytes, from, to);
            if (!Arrays.equals(last, 0, last.length, bytes, from, nameEnd)) {
                last = Arrays.copyOfRange(bytes, from, nameEnd);
                ofLast = rules.computeIfAbsent(text(bytes, from, nameEnd), chain -> new ArrayList<>());
            }
            ofLast.add(nameEnd == to ? "" : text(bytes, nameEnd + 1, to));
        }

        SavedTable build() {
            return new SavedTable(Collections.unmodifiableSet(builtins), Collections.unmodifiableMap(rules));
        }

        private static int wordEnd(byte[] bytes, int from, int to) {
            int end = from;
            while (end < to && bytes[end] != ' ') {
                end++;
            }
            return end;
        }

        private static String text(byte[] bytes, int from, int to) {
            return new String(bytes, from, to - from, StandardCharsets.UTF_8);
        }
    }
}
