package dev.nodepath.controllers.object;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.time.Duration;

/** The keys that one controller will reconcile. A key that waits already is not added twice. Thread-safe. */
public interface KeyQueue {
    /** As soon as possible. */
    void add(ObjectKey key);

    /** After a delay; if the key has several delays, after the shortest. It stays for later if it is due before. */
    void addAfter(ObjectKey key, Duration delay);
}
