package dev.nodepath.agent.options;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go writes them: {@code 1s}, {@code 250ms}, {@code 1h2m3s}, {@code 15m0s}, {@code 1.5h}. */
final class GoDuration {
    /** Longer ones than a century mean a mistake, and would overflow. */
    private static final BigDecimal LIMIT_NANOS =
            BigDecimal.valueOf(Duration.ofDays(36_500).toNanos());

    private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]*)?)(h|ms|m|s|us|\u00b5s|ns)");

    private GoDuration() {}

    /**
     * Reads a duration, 0 or more.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Duration parse(String text) {
        BigDecimal sum = BigDecimal.ZERO;
        Matcher part = PART.matcher(text);
        int end = 0;
        while (part.find() && part.start() == end) {
            sum = sum.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(nanos(part.group(2)))));
            end = part.end();
        }
        boolean zero = text.equals("0");
        if (!zero && (end == 0 || end != text.length() || sum.compareTo(LIMIT_NANOS) > 0)) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a duration such as 1s, 250ms or 1m30s)");
        }
        return Duration.ofNanos(sum.longValue());
    }

    private static long nanos(String unit) {
        return switch (unit) {
            case "h" -> 3_600_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "s" -> 1_000_000_000L;
            case "ms" -> 1_000_000L;
            case "ns" -> 1L;
            default -> 1_000L;
        };
    }
}
