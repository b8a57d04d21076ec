package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.NamespacedName;
import java.util.List;
import java.util.Map;

/** Where the records of one kind of objects go, each under the name of the object it was made of. */
interface ObjectSink<R> {
    /** These are all objects there are; any other is gone. */
    void replace(Map<NamespacedName, List<R>> objects);

    /** An object is new or changed; no records if nothing of it is of use. */
    void put(NamespacedName name, List<R> records);

    /** An object is gone. */
    void remove(NamespacedName name);
}
