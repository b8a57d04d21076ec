package dev.nodepath.page;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The traffic of a cluster's links at one moment.
 *
 * @param at in milliseconds since 1970
 * @param rates by the part at the link's end, such as {@code node:n1}, {@code pod:web-1} or {@code client:client}. An
 *     unmeasured part is missing.
 */
public record Rates(long at, Map<String, Rate> rates) {
    /** Keeps the order of the keys. */
    public Rates {
        rates = Collections.unmodifiableMap(new TreeMap<>(rates));
    }
}
