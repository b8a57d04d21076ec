package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.NamespacedName;
import java.util.List;
import java.util.Map;

/** Gets the records of one kind of objects, by the name of the object. */
public interface ObjectSink<R> {
    /** Replaces all objects. */
    void replace(Map<NamespacedName, List<R>> objects);

    /** Adds or replaces an object. The list is empty if the object is unusable. */
    void put(NamespacedName name, List<R> records);

    /** An object is gone. */
    void remove(NamespacedName name);

    /** The server does not let us follow these objects. */
    default void forbidden() {}

    /**
     * The server does not have the kind, or no longer has it. It is asked again from time to time.
     *
     * @return whether that is allowed; if not, it counts as a failure
     */
    default boolean isWithout() {
        return false;
    }
}
