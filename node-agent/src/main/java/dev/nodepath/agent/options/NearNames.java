package dev.nodepath.agent.options;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Finds the known names that a mistyped one may mean. */
public final class NearNames {
    private static final int NAMES_MAX = 3;

    private NearNames() {}

    /**
     * The nearest names, at most three: those with the fewest typing errors, else those that begin with the given one.
     * Case and leading dashes do not count. A name may have one error for each three of its letters, one at least.
     */
    public static List<String> of(String typed, Collection<String> known) {
        String wanted = bare(typed);
        TreeMap<Integer, List<String>> byErrors = new TreeMap<>();
        List<String> longer = new ArrayList<>();
        for (String name : known) {
            String candidate = bare(name);
            int errors = errors(wanted, candidate);
            if (errors <= Math.max(1, Math.min(wanted.length(), candidate.length()) / 3)
                    && errors < candidate.length()) {
                byErrors.computeIfAbsent(errors, missing -> new ArrayList<>()).add(name);
            } else if (!wanted.isEmpty() && candidate.startsWith(wanted)) {
                longer.add(name);
            }
        }
        List<String> nearest =
                byErrors.isEmpty() ? longer : byErrors.firstEntry().getValue();
        return nearest.stream().distinct().limit(NAMES_MAX).toList();
    }

    /** The same as the end of an error message; empty without such a name. */
    public static String hint(String typed, Collection<String> known) {
        List<String> near = of(typed, known);
        return near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
    }

    private static String bare(String name) {
        return name.replaceFirst("^-+", "").toLowerCase(Locale.ROOT);
    }

    /** The optimal string alignment distance: letters that are missing, too many, wrong, or swapped with the next. */
    private static int errors(String from, String to) {
        int[][] least = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    least[i][j] = i + j;
                    continue;
                }
                int wrong = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                least[i][j] = Math.min(least[i - 1][j - 1] + wrong, 1 + Math.min(least[i - 1][j], least[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                if (swapped) {
                    least[i][j] = Math.min(least[i][j], least[i - 2][j - 2] + 1);
                }
            }
        }
        return least[from.length()][to.length()];
    }
}
