package dev.nodepath.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Immutable maps that keep the order of their keys. */
final class OrderedMap {
    private OrderedMap() {}

    /**
     * An immutable copy in the same order.
     *
     * @throws IllegalArgumentException if a value is null, which an edited report may have
     */
    static <V> Map<String, V> copyOf(Map<String, V> map) {
        map.forEach((key, value) -> {
            if (value == null) {
                throw new IllegalArgumentException(key + ": null (expected: a value)");
            }
        });
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
