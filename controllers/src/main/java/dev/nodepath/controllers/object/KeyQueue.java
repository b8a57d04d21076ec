package dev.nodepath.controllers.object;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.time.Duration;

/** The keys that one controller will reconcile. A waiting key is not added again. Thread-safe. */
public interface KeyQueue {
    /** As soon as possible. */
    void add(ObjectKey key);

    /**
     * After a delay; of several delays the shortest counts. A key that is added meanwhile also stays for its later
     * time.
     */
    void addAfter(ObjectKey key, Duration delay);
}
