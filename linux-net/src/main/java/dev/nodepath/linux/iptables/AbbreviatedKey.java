package dev.nodepath.linux.iptables;

import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/**
 * A sort key for names: the first characters that differ between names, as one number. Sorting a hundred thousand
 * chains by name takes longer than making their rules, because each comparison loads two texts from memory. Most keys
 * differ in their numbers.
 *
 * @param head up to eight characters, one byte each, after the common beginning of all names
 * @param name decides between equal heads
 */
record AbbreviatedKey(long head, String name) implements Comparable<AbbreviatedKey> {
    private static final int HEAD_CHARS = Long.BYTES;
    private static final int CHAR_MAX = 0xFF;

    /** The names in their order. */
    static List<String> sorted(Collection<String> names) {
        int common = commonLength(names);
        AbbreviatedKey[] keys = names.stream()
                .map(name -> new AbbreviatedKey(head(name, common), name))
                .toArray(AbbreviatedKey[]::new);
        Arrays.sort(keys);
        return Arrays.stream(keys).map(AbbreviatedKey::name).toList();
    }

    @Override
    public int compareTo(AbbreviatedKey other) {
        int byHead = Long.compareUnsigned(head, other.head);
        return byHead != 0 ? byHead : name.compareTo(other.name);
    }

    /**
     * A missing character sorts first. A character beyond one byte counts as the highest byte, and the characters after
     * it are ignored.
     */
    private static long head(String name, int from) {
        long head = 0;
        boolean fits = true;
        for (int i = from; i < from + HEAD_CHARS; i++) {
            int next = fits && i < name.length() ? Math.min(name.charAt(i), CHAR_MAX) : 0;
            head = head << Byte.SIZE | next;
            fits &= next < CHAR_MAX;
        }
        return head;
    }

    private static int commonLength(Collection<String> names) {
        Iterator<String> each = names.iterator();
        if (!each.hasNext()) {
            return 0;
        }
        String first = each.next();
        int common = first.length();
        while (each.hasNext()) {
            String name = each.next();
            while (!first.regionMatches(0, name, 0, common)) {
                common--;
            }
        }
        return common;
    }
}
