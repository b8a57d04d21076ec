package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * The dependents of an owner: it owns them, and its selector matches them. It adopts matching objects without an
 * owner, and releases its own that no longer match.
 */
final class PodClaims {
    private final ClusterApi api;
    private final Resource dependents;
    private final BiPredicate<JsonNode, JsonNode> isMember;

    PodClaims(ClusterApi api, Resource dependents) {
        this(api, dependents, (owner, dependent) -> true);
    }

    /**
     * For owners with a further condition besides the selector.
     *
     * @param isMember the further condition for an owner and its dependent
     */
    PodClaims(ClusterApi api, Resource dependents, BiPredicate<JsonNode, JsonNode> isMember) {
        this.api = api;
        this.dependents = dependents;
        this.isMember = isMember;
    }

    /** The dependents of an owner, after adoption and release. */
    List<ObjectNode> of(ObjectNode owner) {
        List<ObjectNode> claimed = new ArrayList<>();
        for (ObjectNode each : api.list(dependents, Meta.namespace(owner)).objects()) {
            claim(owner, each).ifPresent(claimed::add);
        }
        return claimed;
    }

    /**
     * Changes of dependents as a trigger of their owner. A new object without owner triggers all owners of its
     * namespace, by a key without name.
     */
    static Trigger trigger(Resource dependents, Resource owners) {
        return new Trigger(dependents, event -> {
            List<ObjectKey> keys = new ArrayList<>();
            Owners.controller(event.object(), owners).ifPresent(keys::add);
            event.before().flatMap(before -> Owners.controller(before, owners)).ifPresent(keys::add);
            if (isOrphaned(event)) {
                keys.add(new ObjectKey(Meta.namespace(event.object()), ""));
            }
            return keys;
        });
    }

    private static boolean isOrphaned(ChangeEvent event) {
        return event.type() != ChangeEvent.Type.DELETED
                && Owners.controller(event.object()).isEmpty()
                && event.before()
                        .filter(before -> Owners.controller(before).isEmpty()
                                && Meta.labels(before).equals(Meta.labels(event.object())))
                        .isEmpty();
    }

    private Optional<ObjectNode> claim(ObjectNode owner, ObjectNode each) {
        boolean matches = SelectorMatch.matches(owner.path("spec").path("selector"), Meta.labels(each))
                && isMember.test(owner, each);
        if (Owners.isControlledBy(each, owner)) {
            if (matches || Meta.isTerminating(owner)) {
                return Optional.of(each);
            }
            change(each, copy -> Owners.release(copy, Meta.uid(owner)));
            return Optional.empty();
        }
        boolean free = Owners.controller(each).isEmpty() && !Meta.isTerminating(each) && !Meta.isTerminating(owner);
        return matches && free ? Optional.of(change(each, copy -> Owners.control(copy, owner))) : Optional.empty();
    }

    private ObjectNode change(JsonNode object, Consumer<ObjectNode> change) {
        return api.modify(dependents, ObjectKey.of(object), "", copy -> {
            change.accept(copy);
            return copy;
        });
    }
}
