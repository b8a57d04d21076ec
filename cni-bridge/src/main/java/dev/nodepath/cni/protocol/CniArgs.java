package dev.nodepath.cni.protocol;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads {@code CNI_ARGS}: {@code KEY=VALUE} pairs with semicolons between them, as in libcni's {@code types.LoadArgs}.
 */
final class CniArgs {
    private static final Set<String> KNOWN = Set.of("IgnoreUnknown", "MAC", "IP", "GATEWAY");

    private CniArgs() {}

    /**
     * The pairs in their order.
     *
     * @throws CniException code 4 if a pair has not exactly one {@code =}, or a key is unknown and {@code
     *     IgnoreUnknown} is not true
     */
    static Map<String, String> parse(String text) throws CniException {
        Map<String, String> args = new LinkedHashMap<>();
        if (text.isEmpty()) {
            return args;
        }
        for (String pair : text.split(";", -1)) {
            String[] halves = pair.split("=", -1);
            if (halves.length != 2) {
                throw invalid("invalid pair \"" + pair + "\" (expected: KEY=VALUE)");
            }
            args.put(halves[0], halves[1]);
        }
        if (!ignoresUnknown(args)) {
            for (String key : args.keySet()) {
                if (!KNOWN.contains(key)) {
                    throw invalid("unknown key \"" + key + "\" (expected: one of "
                            + KNOWN.stream().sorted().toList() + ", or IgnoreUnknown=1)");
                }
            }
        }
        return args;
    }

    private static boolean ignoresUnknown(Map<String, String> args) throws CniException {
        String value = args.getOrDefault("IgnoreUnknown", "0");
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default -> throw invalid("IgnoreUnknown=" + value + " (expected: 1, true, 0 or false)");
        };
    }

    private static CniException invalid(String problem) {
        return new CniException(ErrorCode.INVALID_ENVIRONMENT, "CNI_ARGS: " + problem);
    }
}
