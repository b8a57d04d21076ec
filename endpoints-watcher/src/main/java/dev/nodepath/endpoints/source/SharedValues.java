package dev.nodepath.endpoints.source;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Shares one object among equal values, such as names of nodes and namespaces, states of endpoints, and ports. It
 * saves memory in clusters with thousands of equal values, and forgets unused ones. Not thread-safe.
 */
public final class SharedValues {
    private final Map<Object, WeakReference<Object>> values = new WeakHashMap<>();

    /** Makes an empty set. */
    public SharedValues() {}

    /** The first object that was equal to this one. */
    @SuppressWarnings("unchecked")
    public <T> T shared(T value) {
        WeakReference<Object> reference = values.get(value);
        Object known = reference == null ? null : reference.get();
        if (known == null) {
            values.put(value, new WeakReference<>(value));
            return value;
        }
        // Equal values are of one class: no value that is given here equals one of another class.
        return (T) known;
    }
}
