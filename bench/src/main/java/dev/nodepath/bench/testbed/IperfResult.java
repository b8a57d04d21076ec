package dev.nodepath.bench.testbed;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The receiver's TCP measurements of iperf3.
 *
 * @param bytes of all streams
 * @param gigabitsPerSecond of all streams
 */
public record IperfResult(double bytes, double gigabitsPerSecond) {
    private static final Pattern RECEIVED = Pattern.compile(
            "\"sum_received\":\\s*\\{.*?\"bytes\":\\s*([\\d.e+]+).*?\"bits_per_second\":\\s*([\\d.e+]+)",
            Pattern.DOTALL);

    /**
     * Reads the output of {@code iperf3 -J}.
     *
     * @throws IllegalArgumentException if it is something else, or an error
     */
    public static IperfResult parse(String json) {
        Matcher received = RECEIVED.matcher(json);
        if (!received.find()) {
            throw new IllegalArgumentException("iperf3: no \"sum_received\" in: " + json);
        }
        return new IperfResult(Double.parseDouble(received.group(1)), Double.parseDouble(received.group(2)) / 1e9);
    }
}
