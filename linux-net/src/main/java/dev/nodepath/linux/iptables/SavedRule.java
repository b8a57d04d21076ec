package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the specification of a rule, as {@code iptables-save} prints it or as we write it. */
public final class SavedRule {
    private SavedRule() {}

    /** The words of a specification. Quotes group a word and are dropped. A backslash inside quotes escapes. */
    static List<String> words(String specification) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean quoted = false;
        boolean started = false;
        for (int i = 0; i < specification.length(); i++) {
            char c = specification.charAt(i);
            if (c == '"') {
                quoted = !quoted;
                started = true;
            } else if (c == ' ' && !quoted) {
                if (started) {
                    words.add(word.toString());
                }
                word.setLength(0);
                started = false;
            } else {
                boolean escapes = c == '\\' && quoted && i + 1 < specification.length();
                word.append(escapes ? specification.charAt(++i) : c);
                started = true;
            }
        }
        if (started) {
            words.add(word.toString());
        }
        return words;
    }

    /** The target of a rule: a chain or a built-in target. Empty if it has none. */
    public static Optional<String> target(String specification) {
        List<String> words = words(specification);
        for (int i = words.size() - 2; i >= 0; i--) {
            if (words.get(i).equals("-j") || words.get(i).equals("-g")) {
                return Optional.of(words.get(i + 1));
            }
        }
        return Optional.empty();
    }

    /**
     * The words of a specification, sorted. Two specifications that differ only in quotes and in the order of options
     * have the same words. The kernel's listing does not keep that order.
     */
    static List<String> normalised(String specification) {
        return words(specification).stream().sorted().toList();
    }
}
