package dev.nodepath.dns;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A domain name: its labels, the leftmost first, without the root. Each char of a label is one byte. Names are equal
 * if they differ only in the case of ASCII letters (RFC 4343); the labels keep their original case.
 */
final class DomainName {
    private static final int LABEL_MAX = 63;
    private static final int NAME_MAX = 255;

    private final List<String> labels;
    private final List<String> folded;

    /** The name of these labels. */
    DomainName(List<String> labels) {
        this.labels = List.copyOf(labels);
        this.folded = fold(this.labels);
    }

    private DomainName(List<String> labels, List<String> folded) {
        this.labels = labels;
        this.folded = folded;
    }

    /** The name of this text, with or without a dot at the end. Labels have no escapes. */
    static DomainName of(String text) {
        String relative = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        return new DomainName(relative.isEmpty() ? List.of() : List.of(relative.split("\\.", -1)));
    }

    /** The labels in their original case. */
    List<String> labels() {
        return labels;
    }

    /** The labels in lower case. */
    List<String> folded() {
        return folded;
    }

    /** The number of labels. */
    int size() {
        return labels.size();
    }

    /** The name with labels before it. */
    DomainName below(String... before) {
        List<String> all = new ArrayList<>(List.of(before));
        all.addAll(labels);
        return new DomainName(all);
    }

    /** The name without its first labels. */
    DomainName without(int first) {
        return new DomainName(labels.subList(first, size()), folded.subList(first, size()));
    }

    /** Whether a message can hold it: labels of 1 to 63 bytes, at most 255 bytes in all (RFC 1035). */
    boolean isValid() {
        int bytes = 1;
        for (String label : labels) {
            if (label.isEmpty() || label.length() > LABEL_MAX) {
                return false;
            }
            bytes += label.length() + 1;
        }
        return bytes <= NAME_MAX;
    }

    /** Whether it is an IPv4 or IPv6 address as text. Resolvers do not ask for such names. */
    boolean isAddress() {
        return ReverseName.parse(String.join(".", labels)).isPresent();
    }

    /** Whether the name is the other one or below it. */
    boolean isWithin(DomainName other) {
        int before = size() - other.size();
        return before >= 0 && folded.subList(before, size()).equals(other.folded);
    }

    private static List<String> fold(List<String> labels) {
        for (String label : labels) {
            if (!lowerCase(label).equals(label)) {
                return labels.stream().map(DomainName::lowerCase).toList();
            }
        }
        return labels;
    }

    /** Changes only ASCII letters: the other bytes of a label are no text. */
    private static String lowerCase(String label) {
        for (int i = 0; i < label.length(); i++) {
            if (isUpper(label.charAt(i))) {
                return lowerCase(label.toCharArray());
            }
        }
        return label;
    }

    private static String lowerCase(char[] label) {
        for (int i = 0; i < label.length; i++) {
            if (isUpper(label[i])) {
                label[i] = (char) (label[i] + ('a' - 'A'));
            }
        }
        return new String(label);
    }

    private static boolean isUpper(char c) {
        return c >= 'A' && c <= 'Z';
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DomainName that && folded.equals(that.folded);
    }

    @Override
    public int hashCode() {
        return folded.hashCode();
    }

    /** The labels with dots between and at the end. */
    @Override
    public String toString() {
        return String.join(".", labels) + ".";
    }
}
