package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * A short hash of a Pod template, for {@code pod-template-hash} and {@code controller-revision-hash}. It has the form
 * of Kubernetes' hashes (a 32 bit FNV-1a hash in digits, written with letters that make no words). The values differ,
 * because Kubernetes' depend on Go's printing of structures.
 */
final class TemplateHash {
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";
    private static final int OFFSET_BASIS = 0x811c9dc5;
    private static final int PRIME = 0x01000193;

    private TemplateHash() {}

    /**
     * The hash of a template. The order of fields does not matter.
     *
     * @param collisions other templates of the same owner that already had this hash
     */
    static String of(JsonNode template, int collisions) {
        int hash = OFFSET_BASIS;
        String text = canonical(template) + (collisions == 0 ? "" : "#" + collisions);
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * PRIME;
        }
        StringBuilder letters = new StringBuilder();
        Integer.toUnsignedString(hash)
                .chars()
                .forEach(digit -> letters.append(LETTERS.charAt(digit % LETTERS.length())));
        return letters.toString();
    }

    private static String canonical(JsonNode node) {
        if (node.isObject()) {
            Map<String, String> fields = new TreeMap<>();
            node.properties().forEach(each -> fields.put(each.getKey(), canonical(each.getValue())));
            return fields.toString();
        }
        if (node.isArray()) {
            StringJoiner elements = new StringJoiner(",", "[", "]");
            node.forEach(each -> elements.add(canonical(each)));
            return elements.toString();
        }
        return node.toString();
    }
}
