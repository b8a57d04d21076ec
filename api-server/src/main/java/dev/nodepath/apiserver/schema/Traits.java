package dev.nodepath.apiserver.schema;

import java.util.List;
import java.util.Set;

/**
 * How patches and server-side apply treat a field, and further rules of Kubernetes beyond its type.
 *
 * @param merged whether a strategic merge patch merges this list, instead of replacing it
 * @param mergeKey the field that identifies an object in a merged list; empty for a list of plain values
 * @param retainKeys whether a strategic merge patch keeps only the keys that it contains
 * @param ownership the division among owners in server-side apply
 * @param listKeys the fields that identify an object in a list with {@link Ownership#MAP}
 * @param required whether an object without this field is refused
 * @param goType the name of the type in Kubernetes' errors; empty if it follows from the type
 */
public record Traits(
        boolean merged,
        String mergeKey,
        boolean retainKeys,
        Ownership ownership,
        List<String> listKeys,
        boolean required,
        String goType) {

    /** The traits of a field that is not in the file: lists have one owner, objects and maps are divided. */
    static final Traits NONE = new Traits(false, "", false, Ownership.DEFAULT, List.of(), false, "");

    /** How server-side apply divides a list, a map or an object among its owners. */
    public enum Ownership {
        /** A list belongs to one owner, the fields of an object or a map to several. */
        DEFAULT,
        /** An object or a map belongs to one owner. */
        ATOMIC,
        /** Each value of the list has its owners. */
        SET,
        /** Each object of the list has its owners. */
        MAP
    }

    public Traits {
        listKeys = List.copyOf(listKeys);
    }

    /** Reads a line's words after the field's name. */
    static Traits parse(Set<String> words) {
        List<String> keys = List.of(value(words, "map=").split(","));
        Ownership ownership = words.contains("set")
                ? Ownership.SET
                : !keys.equals(List.of(""))
                        ? Ownership.MAP
                        : words.contains("atomic") ? Ownership.ATOMIC : Ownership.DEFAULT;
        return new Traits(
                words.contains("merge") || !value(words, "merge=").isEmpty(),
                value(words, "merge="),
                words.contains("retain"),
                ownership,
                ownership == Ownership.MAP ? keys : List.of(),
                words.contains("required"),
                value(words, "type="));
    }

    private static String value(Set<String> words, String prefix) {
        return words.stream()
                .filter(word -> word.startsWith(prefix))
                .map(word -> word.substring(prefix.length()))
                .findFirst()
                .orElse("");
    }

    static List<String> words(String line) {
        return List.of(line.trim().split(" "));
    }
}
