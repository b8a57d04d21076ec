package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/** Times as kubectl shows them: two units at most, such as {@code 5m30s}, {@code 2d3h}, {@code 45d}. */
final class Ages {
    private Ages() {}

    /** The time since this moment in RFC 3339; {@code <unknown>} if it is no time. */
    static String since(JsonNode time, Instant now) {
        try {
            return time.isTextual() ? of(Duration.between(Instant.parse(time.asText()), now)) : "<unknown>";
        } catch (DateTimeException e) {
            return "<unknown>";
        }
    }

    /** A duration, with the limits of apimachinery's {@code duration.HumanDuration}. */
    static String of(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < -1) {
            return "<invalid>";
        }
        if (seconds < 0) {
            return "0s";
        }
        if (seconds < 2 * 60) {
            return seconds + "s";
        }
        long minutes = duration.toMinutes();
        if (minutes < 10) {
            return two(minutes, "m", seconds % 60, "s");
        }
        if (minutes < 3 * 60) {
            return minutes + "m";
        }
        long hours = duration.toHours();
        if (hours < 8) {
            return two(hours, "h", minutes % 60, "m");
        }
        if (hours < 48) {
            return hours + "h";
        }
        if (hours < 24 * 8) {
            return two(hours / 24, "d", hours % 24, "h");
        }
        if (hours < 24 * 365 * 2) {
            return hours / 24 + "d";
        }
        long days = hours / 24;
        return hours < 24 * 365 * 8 ? two(days / 365, "y", days % 365, "d") : days / 365 + "y";
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return large + largeUnit + (small == 0 ? "" : small + smallUnit);
    }
}
