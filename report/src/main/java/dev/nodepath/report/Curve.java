package dev.nodepath.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A value that depends on another, for each contender.
 *
 * @param what the measured quantity
 * @param xUnit of the other value, such as {@code "percentile"} or {@code "Services"}
 * @param yUnit of the value
 * @param kind the form of the drawing
 * @param byContender points in the order of their x
 */
public record Curve(String what, String xUnit, String yUnit, Kind kind, Map<String, List<Point>> byContender) {
    /** The limit of points; more are an error of the caller. */
    public static final int POINTS_MAX = 1_000;

    /** The form of a curve's drawing. */
    public enum Kind {
        /** x is a percentile from 0 up to below 100, on an axis that widens towards 100; y is logarithmic. */
        LATENCY_PERCENTILES,
        /** Both are above 0, on logarithmic axes. */
        SCALE_LOG_LOG
    }

    /**
     * One x and the values at this place.
     *
     * @param x in the curve's x unit
     * @param samples a value for each round
     */
    public record Point(double x, @JsonUnwrapped Samples samples) {
        /** The median of the values. */
        public double y() {
            return samples.median();
        }
    }

    public Curve {
        byContender.forEach((contender, points) -> {
            if (points.size() > POINTS_MAX) {
                throw new IllegalArgumentException(
                        what + ", " + contender + ": " + points.size() + " points (expected: <= " + POINTS_MAX + ")");
            }
        });
        byContender = Collections.unmodifiableMap(byContender.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        entry -> List.copyOf(entry.getValue()),
                        (first, second) -> second,
                        LinkedHashMap::new)));
    }
}
