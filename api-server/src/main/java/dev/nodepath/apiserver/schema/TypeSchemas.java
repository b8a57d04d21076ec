package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.CustomKind;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Types as JSON schemas, with Kubernetes' extensions for merging. */
final class TypeSchemas {
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";

    private static final String KINDS = "x-kubernetes-group-version-kind";
    private static final String LIST = "List";

    private final boolean version3;

    /** @param version3 of OpenAPI; else version 2 */
    TypeSchemas(boolean version3) {
        this.version3 = version3;
    }

    /** All types by their names. */
    ObjectNode all() {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        for (StructType type : Schema.kubernetes().types()) {
            all.set(name(type.name()), struct(type));
        }
        all.putObject(name("time")).put("type", "string").put("format", "date-time");
        all.putObject(name("microTime")).put("type", "string").put("format", "date-time");
        textOrNumber(all.putObject(name("quantity")), "number");
        textOrNumber(all.putObject(name("intOrString")).put("format", "int-or-string"), "integer");
        for (Resource resource : Resources.all()) {
            for (String suffix : new String[] {"", LIST}) {
                groupVersionKind(
                        all.withObjectProperty(name(MergeKeys.root(resource)) + suffix)
                                .putArray(KINDS)
                                .addObject(),
                        resource,
                        suffix);
            }
        }
        return all;
    }

    /** Adds the schema of a CustomResourceDefinition for a kind. Clients of version 2 check nothing against it. */
    void add(ObjectNode all, CustomKind kind) {
        Resource resource = kind.resource();
        ObjectNode schema = version3 && kind.schema() instanceof ObjectNode declared
                ? declared.deepCopy()
                : JsonNodeFactory.instance.objectNode();
        schema.put("type", "object");
        ObjectNode list = JsonNodeFactory.instance.objectNode().put("type", "object");
        if (version3) {
            fields(schema.withObjectProperty("properties"), "meta.v1.ObjectMeta");
            fields(list.putObject("properties"), "meta.v1.ListMeta");
            list.withObjectProperty("properties")
                    .putObject("items")
                    .put("type", "array")
                    .set("items", referenceTo(definition(resource)));
        }
        groupVersionKind(schema.putArray(KINDS).addObject(), resource, "");
        groupVersionKind(list.putArray(KINDS).addObject(), resource, LIST);
        all.set(definition(resource), schema);
        all.set(definition(resource) + LIST, list);
    }

    private void fields(ObjectNode properties, String metadata) {
        properties.putObject("apiVersion").put("type", "string");
        properties.putObject("kind").put("type", "string");
        properties.set("metadata", reference(metadata));
    }

    /** The name of the type of a kind's objects. */
    static String definition(Resource resource) {
        if (Resources.isBuiltIn(resource)) {
            return name(MergeKeys.root(resource));
        }
        List<String> domain = new ArrayList<>(List.of(resource.group().split("\\.", -1)));
        Collections.reverse(domain);
        return String.join(".", domain) + "." + resource.version() + "." + resource.kind();
    }

    ObjectNode reference(String type) {
        return referenceTo(name(type));
    }

    /** A reference to a type by its name in OpenAPI. */
    ObjectNode referenceTo(String name) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("$ref", (version3 ? "#/components/schemas/" : "#/definitions/") + name);
    }

    static void groupVersionKind(ObjectNode node, Resource resource, String suffix) {
        node.put("group", resource.group());
        node.put("kind", resource.kind() + suffix);
        node.put("version", resource.version());
    }

    private ObjectNode struct(StructType type) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        describe(schema, type.name());
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = JsonNodeFactory.instance.arrayNode();
        for (Map.Entry<String, FieldType> field : type.fields().entrySet()) {
            Traits traits = MergeKeys.of(type.name(), field.getKey());
            ObjectNode property = extended(field(field.getValue()), field.getValue(), traits);
            describe(property, type.name() + "." + field.getKey());
            properties.set(field.getKey(), property);
            if (traits.required()) {
                required.add(field.getKey());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        if (type.own().ownership() == Traits.Ownership.ATOMIC) {
            schema.put("x-kubernetes-map-type", "atomic");
        }
        return schema;
    }

    private static void describe(ObjectNode schema, String name) {
        if (!Descriptions.of(name).isEmpty()) {
            schema.put("description", Descriptions.of(name));
        }
    }

    private ObjectNode field(FieldType type) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        switch (type.container()) {
            case LIST -> schema.put("type", "array").set("items", element(type.element()));
            case MAP -> schema.put("type", "object").set("additionalProperties", element(type.element()));
            case ONE -> {
                ObjectNode one = element(type.element());
                if (!version3 || !one.has("$ref")) {
                    return one;
                }
                schema.putArray("allOf").add(one);
            }
        }
        return schema;
    }

    private ObjectNode element(String type) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        return switch (type) {
            case "string", "boolean", "object" -> schema.put("type", type);
            case "bytes" -> schema.put("type", "string").put("format", "byte");
            case "int32", "int64" -> schema.put("type", "integer").put("format", type);
            default -> reference(type);
        };
    }

    private static ObjectNode extended(ObjectNode schema, FieldType type, Traits traits) {
        String strategy = traits.retainKeys()
                ? traits.merged() ? "merge,retainKeys" : "retainKeys"
                : traits.merged() ? "merge" : "";
        if (!strategy.isEmpty()) {
            schema.put("x-kubernetes-patch-strategy", strategy);
        }
        if (!traits.mergeKey().isEmpty()) {
            schema.put("x-kubernetes-patch-merge-key", traits.mergeKey());
        }
        switch (traits.ownership()) {
            case SET -> schema.put("x-kubernetes-list-type", "set");
            case MAP -> {
                schema.put("x-kubernetes-list-type", "map");
                traits.listKeys().forEach(schema.putArray("x-kubernetes-list-map-keys")::add);
            }
            case ATOMIC -> {
                if (type.container() == FieldType.Container.MAP) {
                    schema.put("x-kubernetes-map-type", "atomic");
                }
            }
            case DEFAULT -> {
                if (type.container() == FieldType.Container.LIST) {
                    schema.put("x-kubernetes-list-type", "atomic");
                }
            }
        }
        return schema;
    }

    /** Version 2 has one type for each value. */
    private void textOrNumber(ObjectNode schema, String number) {
        if (version3) {
            schema.putArray("oneOf")
                    .add(schema.objectNode().put("type", "string"))
                    .add(schema.objectNode().put("type", number));
        } else {
            schema.put("type", "string");
        }
    }

    /** The name that Kubernetes gives a type in OpenAPI. */
    static String name(String type) {
        return switch (type) {
            case "time" -> META + "Time";
            case "microTime" -> META + "MicroTime";
            case "quantity" -> "io.k8s.apimachinery.pkg.api.resource.Quantity";
            case "intOrString" -> "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
            default -> type.startsWith("meta.v1.") ? META + type.substring("meta.v1.".length()) : "io.k8s.api." + type;
        };
    }
}
