package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
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
        Set<String> builtins = new LinkedHashSet<>();
        Map<String, List<String>> rules = new LinkedHashMap<>();
        String last = "";
        List<String> ofLast = List.of();
        for (int start = 0; start < text.length(); ) {
            int newline = text.indexOf('\n', start);
            int end = newline < 0 ? text.length() : newline;
            if (text.startsWith("-A ", start)) {
                int space = text.indexOf(' ', start + 3);
                int nameEnd = space < 0 || space > end ? end : space;
                // The rules of a chain stand together.
                if (nameEnd - start - 3 != last.length() || !text.startsWith(last, start + 3)) {
                    last = text.substring(start + 3, nameEnd);
                    ofLast = rules.computeIfAbsent(last, chain -> new ArrayList<>());
                }
                ofLast.add(nameEnd == end ? "" : text.substring(nameEnd + 1, end));
            } else if (text.startsWith(":", start)) {
                int nameEnd = text.indexOf(' ', start);
                String name = text.substring(start + 1, nameEnd);
                rules.put(name, new ArrayList<>());
                if (text.charAt(nameEnd + 1) != '-') {
                    builtins.add(name);
                }
            }
            start = end + 1;
        }
        return new SavedTable(Collections.unmodifiableSet(builtins), Collections.unmodifiableMap(rules));
    }

    /** Reads the listing of several tables; those that are not in it, or not ours to know, are left out. */
    public static Map<Table, SavedTable> parseAll(String text) {
        Map<Table, SavedTable> tables = new EnumMap<>(Table.class);
        for (Table table : Table.values()) {
            String start = "*" + table + "\n";
            int begin = text.startsWith(start) ? 0 : text.indexOf("\n" + start);
            if (begin >= 0) {
                int end = text.indexOf("\nCOMMIT\n", begin);
                tables.put(table, parse(text.substring(begin, end < 0 ? text.length() : end)));
            }
        }
        return tables;
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
}
