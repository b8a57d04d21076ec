package dev.nodepath.agent.options;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The message of a command about an unknown name. */
public final class UnknownName {
    private static final int LISTED_MAX = 30;

    private UnknownName() {}

    /**
     * The failure. It lists the existing names, and then the nearest ones.
     *
     * @param what the name is of, such as {@code POD}
     */
    public static CommandException of(String what, String typed, Collection<String> known) {
        List<String> listed = new ArrayList<>(known.stream().limit(LISTED_MAX).toList());
        if (known.size() > LISTED_MAX) {
            listed.add("and " + (known.size() - LISTED_MAX) + " more");
        }
        return CommandException.wrongUsage(
                List.of(what + ": \"" + typed + "\" (expected: one of " + listed + ")" + meant(typed, known)));
    }

    /** A name of the same Pod in another namespace comes before mistyped ones. */
    private static String meant(String typed, Collection<String> known) {
        List<String> elsewhere =
                known.stream().filter(each -> each.endsWith("/" + typed)).toList();
        return elsewhere.isEmpty()
                ? NearNames.hint(typed, known)
                : "; did you mean " + String.join(" or ", elsewhere) + "?";
    }
}
