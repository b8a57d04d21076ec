package dev.nodepath.controllers.object;

import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import java.util.List;
import java.util.Optional;

/**
 * Reconciles one kind of objects. It is level-triggered: a key names an object to look at, never an event. Changes may
 * be doubled, and several may arrive as one.
 */
public interface Controller {
    /** The name in log lines, such as {@code deployment}. */
    String name();

    /** The changes that it listens to. */
    List<Trigger> triggers();

    /** The changes of a custom kind that it listens to. */
    default Optional<Trigger> trigger(Resource custom) {
        return Optional.empty();
    }

    /**
     * Reads the present objects, and brings the controller's own objects in line with them. Always called on the one
     * thread of all controllers.
     *
     * @param key a key from a trigger or from this controller; its object may be absent
     * @param queue for keys of this controller that are due later
     */
    void reconcile(ObjectKey key, KeyQueue queue);
}
