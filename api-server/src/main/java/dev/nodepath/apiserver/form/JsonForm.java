package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;

/**
 * Objects as they are.
 *
 * @param resource their kind, which says the form of Events
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

    /** Versions of a kind that a CustomResourceDefinition makes differ in their apiVersion alone. */
    private ObjectNode inVersion(ObjectNode object) {
        if (object.path("apiVersion").asText().equals(resource.apiVersion())) {
            return object;
        }
        ObjectNode other = JsonNodeFactory.instance.objectNode();
        other.setAll(object);
        return other.put("apiVersion", resource.apiVersion());
    }

    /** Without kind and apiVersion, which the list names; objects of other kinds than built-in ones keep them. */
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
