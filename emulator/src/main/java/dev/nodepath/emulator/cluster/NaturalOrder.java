package dev.nodepath.emulator.cluster;

import java.math.BigInteger;
import java.util.Comparator;

/** Order of names in which {@code web-10} follows {@code web-9}. */
public final class NaturalOrder {
    /** Runs of digits by their value, all else by its characters. */
    public static final Comparator<String> NAMES = NaturalOrder::compare;

    private static final String BETWEEN = "(?<=\\d)(?=\\D)|(?<=\\D)(?=\\d)";

    private NaturalOrder() {}

    private static int compare(String left, String right) {
        if (left.equals(right)) {
            return 0;
        }
        String[] one = left.split(BETWEEN, -1);
        String[] other = right.split(BETWEEN, -1);
        for (int i = 0; i < Math.min(one.length, other.length); i++) {
            int order = isNumber(one[i]) && isNumber(other[i])
                    ? new BigInteger(one[i]).compareTo(new BigInteger(other[i]))
                    : one[i].compareTo(other[i]);
            if (order != 0) {
                return order;
            }
        }
        return one.length == other.length ? left.compareTo(right) : one.length - other.length;
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(each -> each >= '0' && each <= '9');
    }
}
