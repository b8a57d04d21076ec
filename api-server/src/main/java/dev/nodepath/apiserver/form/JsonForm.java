package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;

/**
 * Objects without change.
 *
 * @param resource their kind, which decides the form of Events
 */
public record JsonForm(Resource resource) implements ObjectForm {
    @Override
    public ObjectNode one(ObjectNode object) {
        if (Resources.isOldScaler(resource)) {
            return ScalerForms.toOld(object);
        }
        if (!Resources.isBuiltIn(resource)) {
            return inVersion(object);
        }
        return resource.equals(Resources.EVENTS_V1) ? EventForms.toEventsGroup(object) : object;
    }

    /** The versions of a custom kind differ only in their apiVersion. */
    private ObjectNode inVersion(ObjectNode object) {
        if (object.path("apiVersion").asText().equals(resource.apiVersion())) {
            return object;
        }
        ObjectNode other = JsonNodeFactory.instance.objectNode();
        other.setAll(object);
        return other.put("apiVersion", resource.apiVersion());
    }

    /** Without kind and apiVersion, which the list has; custom objects keep them. */
    @Override
    public ObjectNode item(ObjectNode object) {
        if (!Resources.isBuiltIn(resource)) {
            return one(object);
        }
        ObjectNode item = JsonNodeFactory.instance.objectNode();
        item.setAll(one(object));
        item.remove("kind");
        item.remove("apiVersion");
        return item;
    }

    @Override
    public ObjectNode list(ObjectNode metadata) {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("kind", resource.kind() + "List").put("apiVersion", resource.apiVersion());
        list.set("metadata", metadata);
        list.putArray("items");
        return list;
    }
}
