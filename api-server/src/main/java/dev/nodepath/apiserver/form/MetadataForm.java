package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Only the metadata of objects. */
public record MetadataForm() implements ObjectForm {
    @Override
    public ObjectNode one(ObjectNode object) {
        return ObjectTable.metadataOf(object);
    }

    @Override
    public ObjectNode item(ObjectNode object) {
        return one(object);
    }

    @Override
    public ObjectNode list(ObjectNode metadata) {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("kind", "PartialObjectMetadataList").put("apiVersion", "meta.k8s.io/v1");
        list.set("metadata", metadata);
        list.putArray("items");
        return list;
    }
}
