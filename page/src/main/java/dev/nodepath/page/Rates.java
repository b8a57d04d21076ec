package dev.nodepath.page;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the links of a cluster carry at one moment.
 *
 * @param at in milliseconds since 1970
 * @param rates by the part that a link leads to, such as {@code node:n1}, {@code pod:web-1} or {@code client:client}.
 *     A part that was not measured is missing.
 */
public record Rates(long at, Map<String, Rate> rates) {
    /** Copies the map, in the order of its keys. */
    public Rates {
        rates = Collections.unmodifiableMap(new TreeMap<>(rates));
    }
}
