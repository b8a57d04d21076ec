package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The measurements of wrk.
 *
 * @param requests in all
 * @param errors sockets that failed or timed out, and answers of another status
 * @param perSecond requests
 * @param p99Millis the time that 99 of 100 requests did not exceed
 */
public record WrkResult(long requests, long errors, double perSecond, double p99Millis) {
    private static final Pattern REQUESTS = Pattern.compile("(\\d+) requests in");
    private static final Pattern PER_SECOND = Pattern.compile("Requests/sec: +([\\d.]+)");
    private static final Pattern P99 = Pattern.compile("99% +([\\d.]+)(us|ms|s|m)\\b");
    private static final Pattern SOCKET_ERRORS =
            Pattern.compile("Socket errors: connect (\\d+), read (\\d+), write (\\d+), timeout (\\d+)");
    private static final Pattern STATUS_ERRORS = Pattern.compile("Non-2xx or 3xx responses: (\\d+)");

    /**
     * Reads the output of {@code wrk --latency}.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static WrkResult parse(String output) {
        Matcher p99 = found(P99, output);
        double value = Double.parseDouble(p99.group(1));
        double millis = switch (p99.group(2)) {
            case "us" -> value / 1000;
            case "ms" -> value;
            case "s" -> value * 1000;
            default -> value * 60_000;
        };
        long errors = 0;
        Matcher sockets = SOCKET_ERRORS.matcher(output);
        if (sockets.find()) {
            for (int i = 1; i <= sockets.groupCount(); i++) {
                errors += Long.parseLong(sockets.group(i));
            }
        }
        Matcher statuses = STATUS_ERRORS.matcher(output);
        errors += statuses.find() ? Long.parseLong(statuses.group(1)) : 0;
        return new WrkResult(
                Long.parseLong(found(REQUESTS, output).group(1)),
                errors,
                Double.parseDouble(found(PER_SECOND, output).group(1)),
                millis);
    }

    /**
     * Checks that every request was answered: failures change the rate.
     *
     * @throws IOException saying how many were not, or that there was none
     */
    public void requireAllAnswered() throws IOException {
        if (errors > 0 || requests == 0) {
            throw new IOException(errors + " requests failed, " + requests + " were answered (expected: all answered)");
        }
    }

    private static Matcher found(Pattern pattern, String output) {
        Matcher matcher = pattern.matcher(output);
        if (!matcher.find()) {
            throw new IllegalArgumentException("wrk: no \"" + pattern + "\" in: " + output);
        }
        return matcher;
    }
}
