package dev.nodepath.controllers.object;

import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.store.ChangeEvent;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Changes of a kind that a controller listens to.
 *
 * @param resource the kind
 * @param keys the keys to reconcile after a change. It runs while the store is locked, so it only looks at the event
 */
public record Trigger(Resource resource, Function<ChangeEvent, Collection<ObjectKey>> keys) {
    /** Every change of an object adds its own key. */
    public static Trigger each(Resource resource) {
        return new Trigger(resource, event -> List.of(event.key()));
    }

    /** Every change adds the same key. */
    public static Trigger any(Resource resource, ObjectKey key) {
        return new Trigger(resource, event -> List.of(key));
    }
}
