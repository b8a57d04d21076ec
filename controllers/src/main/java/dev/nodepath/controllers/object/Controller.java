package dev.nodepath.controllers.object;

import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import java.util.List;
import java.util.Optional;

/**
 * Keeps one kind of objects true. It is level-triggered: a key says where to look, never what happened. Changes may be
 * doubled, and several may come as one.
 */
public interface Controller {
    /** Of log lines, such as {@code deployment}. */
    String name();

    /** The changes that concern it. */
    List<Trigger> triggers();

    /** The changes that concern it of a kind that a CustomResourceDefinition has made. */
    default Optional<Trigger> trigger(Resource custom) {
        return Optional.empty();
    }

    /**
     * Reads what is there, and brings what this controller keeps in line with it. Always called on the one thread of
     * all controllers.
     *
     * @param key what a trigger or this controller queued; need not exist
     * @param queue for keys of this controller that are due later
     */
    void reconcile(ObjectKey key, KeyQueue queue);
}
