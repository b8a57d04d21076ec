package dev.nodepath.bench.userspace;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What wrk has measured.
 *
 * @param requests in all
 * @param perSecond requests
 * @param p99Millis the time that 99 of 100 requests did not exceed
 */
record HttpFigures(long requests, double perSecond, double p99Millis) {
    private static final Pattern REQUESTS = Pattern.compile("(\\d+) requests in");
    private static final Pattern PER_SECOND = Pattern.compile("Requests/sec: +([\\d.]+)");
    private static final Pattern P99 = Pattern.compile("99% +([\\d.]+)(us|ms|s)");

    /** Reads the output of {@code wrk --latency}. */
    static HttpFigures parse(String output) {
        Matcher p99 = found(P99, output);
        double value = Double.parseDouble(p99.group(1));
        double millis = switch (p99.group(2)) {
            case "us" -> value / 1000;
            case "ms" -> value;
            default -> value * 1000;
        };
        return new HttpFigures(
                Long.parseLong(found(REQUESTS, output).group(1)),
                Double.parseDouble(found(PER_SECOND, output).group(1)),
                millis);
    }

    private static Matcher found(Pattern pattern, String output) {
        Matcher matcher = pattern.matcher(output);
        if (!matcher.find()) {
            throw new IllegalArgumentException("wrk: no \"" + pattern + "\" in: " + output);
        }
        return matcher;
    }
}
