package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Objects as rows of a table.
 *
 * @param resource their kind
 * @param declared the columns of a CustomResourceDefinition, if there is one
 * @param include the part of the object in a row
 * @param clock for ages
 */
public record TableForm(
        Resource resource, Optional<JsonNode> declared, ObjectTable.Include include, InstantSource clock)
        implements ObjectForm {
    @Override
    public ObjectNode one(ObjectNode object) {
        return table().of(object);
    }

    @Override
    public ObjectNode item(ObjectNode object) {
        return table().row(object);
    }

    @Override
    public ObjectNode list(ObjectNode metadata) {
        return table().head(metadata);
    }

    private ObjectTable table() {
        return new ObjectTable(resource, declared, include, clock);
    }
}
