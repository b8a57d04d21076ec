package dev.nodepath.endpoints.source;

import java.util.HashMap;
import java.util.Map;

/**
 * Shares one object among equal values, such as names of nodes and namespaces, states of endpoints, and ports. It saves
 * memory in clusters with thousands of them. Not thread-safe.
 */
public final class SharedValues {
    /** The number of values that are shared. Later ones are returned as they are. */
    static final int MAX_VALUES = 50_000;

    private final Map<Object, Object> values = new HashMap<>();

    /** Makes an empty set. */
    public SharedValues() {}

    /** The first object that was equal to this one. */
    @SuppressWarnings("unchecked")
    public <T> T shared(T value) {
        Object known = values.get(value);
        if (known == null) {
            if (values.size() < MAX_VALUES) {
                values.put(value, value);
            }
            return value;
        }
        // Equal values are of one class: no value that is given here equals one of another class.
        return (T) known;
    }
}
