package dev.nodepath.apiserver.store;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * The size of a tree in octets: its names and values in UTF-8, about as long as JSON without spaces and escapes. Each
 * object and each list counts {@value #CONTAINER} more, so that empty ones count too. The size in memory is larger:
 * each value counts {@value #VALUE} octets more.
 */
public final class ObjectSize {
    /** The most levels of objects and lists in a tree. A deeper tree counts as larger than any limit. */
    public static final int LEVELS_MAX = 200;

    private static final int CONTAINER = 16;
    private static final int VALUE = 96;

    private final long max;
    private final int perValue;
    private long sum;

    private ObjectSize(long max, int perValue) {
        this.max = max;
        this.perValue = perValue;
    }

    /**
     * The size of a tree.
     *
     * @param max the limit of counting: a larger tree is only known to be larger
     */
    public static long of(JsonNode tree, long max) {
        ObjectSize size = new ObjectSize(max, 0);
        size.add(tree, 0);
        return size.sum;
    }

    /** About the memory of a tree, as {@link #of}. Many small values take ten times their size as JSON. */
    static long inMemory(JsonNode tree, long max) {
        ObjectSize size = new ObjectSize(max, VALUE);
        size.add(tree, 0);
        return size.sum;
    }

    private void add(JsonNode tree, int level) {
        sum += perValue;
        if (tree.isContainerNode()) {
            sum += level < LEVELS_MAX ? CONTAINER + 2L + tree.size() : max + 1;
            for (Map.Entry<String, JsonNode> field : tree.properties()) {
                sum += 3;
                add(field.getKey());
                if (sum <= max) {
                    add(field.getValue(), level + 1);
                }
                if (sum > max) {
                    return;
                }
            }
            if (tree.isArray()) {
                for (int i = 0; i < tree.size() && sum <= max; i++) {
                    add(tree.get(i), level + 1);
                }
            }
        } else if (tree.isTextual()) {
            sum += 2;
            add(tree.textValue());
        } else {
            sum += tree.asText().length();
        }
    }

    private void add(String text) {
        sum += text.length();
        for (int i = 0; i < text.length() && sum <= max; i++) {
            char each = text.charAt(i);
            if (each >= 0x80) {
                // The two halves of a surrogate pair are four octets.
                sum += each < 0x800 || Character.isSurrogate(each) ? 1 : 2;
            }
        }
    }
}
