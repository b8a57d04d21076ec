package dev.nodepath.controllers.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.CustomKind;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.util.List;
import java.util.Optional;

/**
 * Deletes the objects of a CustomResourceDefinition that is being deleted. After that the definition goes, and another
 * one may have its names. Keys are those of definitions.
 */
public final class CustomObjects implements Controller {
    private final ClusterApi api;

    public CustomObjects(ClusterApi api) {
        this.api = api;
    }

    @Override
    public String name() {
        return "custom-objects";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(Trigger.each(Resources.CUSTOM_RESOURCE_DEFINITIONS));
    }

    @Override
    public Optional<Trigger> trigger(Resource custom) {
        ObjectKey definition = new ObjectKey("", custom.qualifiedName());
        return Optional.of(new Trigger(
                custom, event -> event.type() == ChangeEvent.Type.DELETED ? List.of(definition) : List.of()));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        Optional<ObjectNode> definition = api.find(Resources.CUSTOM_RESOURCE_DEFINITIONS, key);
        if (definition.isEmpty()) {
            nameAgain();
        } else if (Meta.isTerminating(definition.get()) && empty(key.name())) {
            api.modify(Resources.CUSTOM_RESOURCE_DEFINITIONS, key, "", copy -> {
                Meta.removeFinalizer(copy, CustomKind.FINALIZER);
                return copy;
            });
        }
    }

    /** Updates every definition without accepted names: an update accepts free names. */
    private void nameAgain() {
        for (JsonNode each : api.list(Resources.CUSTOM_RESOURCE_DEFINITIONS, "").objects()) {
            if (!ConditionList.isTrue(each, "NamesAccepted")) {
                api.modify(Resources.CUSTOM_RESOURCE_DEFINITIONS, ObjectKey.of(each), "", copy -> copy);
            }
        }
    }

    /** Deletes all objects of a definition; returns whether none is left. */
    private boolean empty(String definition) {
        boolean empty = true;
        List<Resource> kinds = api.kinds().custom().stream()
                .map(CustomKind::stored)
                .filter(each -> each.qualifiedName().equals(definition))
                .distinct()
                .toList();
        for (Resource kind : kinds) {
            for (ObjectNode object : api.list(kind, "").objects()) {
                if (!Meta.isTerminating(object)) {
                    api.delete(kind, ObjectKey.of(object), Deletion.DEFAULT);
                }
                empty &= api.find(kind, ObjectKey.of(object)).isEmpty();
            }
        }
        return empty;
    }
}
