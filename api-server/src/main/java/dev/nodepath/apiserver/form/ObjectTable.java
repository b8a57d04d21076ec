package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** The table of a kind: its head, and objects as its rows ({@code meta.k8s.io/v1 Table}). */
public final class ObjectTable {
    /** The part of the object in each row. */
    public enum Include {
        NONE,
        METADATA,
        OBJECT
    }

    private final List<Column> columns;
    private final Include include;
    private final InstantSource clock;

    /**
     * A table.
     *
     * @param declared the columns of a CustomResourceDefinition, if there is one
     * @param clock for ages
     */
    public ObjectTable(Resource resource, Optional<JsonNode> declared, Include include, InstantSource clock) {
        this.columns = Columns.of(resource, declared);
        this.include = include;
        this.clock = clock;
    }

    /**
     * A table without rows.
     *
     * @param metadata of the list or the object
     */
    public ObjectNode head(ObjectNode metadata) {
        ObjectNode table = JsonNodeFactory.instance.objectNode();
        table.put("kind", "Table").put("apiVersion", "meta.k8s.io/v1").set("metadata", metadata);
        ArrayNode definitions = table.putArray("columnDefinitions");
        columns.forEach(column -> column.writeDefinition(definitions.addObject()));
        table.putArray("rows");
        return table;
    }

    /** A table with one row. */
    public ObjectNode of(ObjectNode object) {
        ObjectNode metadata = JsonNodeFactory.instance.objectNode();
        metadata.set("resourceVersion", object.path("metadata").path("resourceVersion"));
        ObjectNode table = head(metadata);
        table.withArrayProperty("rows").add(row(object));
        return table;
    }

    /** The row of an object. */
    public ObjectNode row(ObjectNode object) {
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        ArrayNode cells = row.putArray("cells");
        Instant now = clock.instant();
        for (Column column : columns) {
            Object cell = column.cell().apply(object, now);
            if (cell instanceof Long number) {
                cells.add(number);
            } else {
                cells.add(cell.toString());
            }
        }
        switch (include) {
            case NONE -> {}
            case METADATA -> row.set("object", metadataOf(object));
            case OBJECT -> row.set("object", object);
        }
        return row;
    }

    /** Only an object's metadata ({@code PartialObjectMetadata}). */
    public static ObjectNode metadataOf(ObjectNode object) {
        ObjectNode partial = JsonNodeFactory.instance.objectNode();
        partial.put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", object.path("metadata"));
        return partial;
    }
}
