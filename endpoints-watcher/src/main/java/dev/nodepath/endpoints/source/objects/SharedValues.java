package dev.nodepath.endpoints.source.objects;

import java.util.HashMap;
import java.util.Map;

/**
 * One object for many equal values: names of nodes and namespaces, states of endpoints, ports. What a cluster has thousands
 * of takes the room of a few. For one thread.
 */
public final class SharedValues {
    /** So many are remembered; what comes later is kept as it is. */
    static final int MAX_VALUES = 50_000;

    private final Map<Object, Object> values = new HashMap<>();

    /** None so far. */
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
        // Equal values are of one class: none of those that are given here equals one of another.
        return (T) known;
    }
}
