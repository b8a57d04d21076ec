package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;

/** The paths of a kind and their operations. */
final class PathSchemas {
    private static final List<String> PATCHES = List.of(
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            "application/apply-patch+yaml");
    private static final List<String> CUSTOM_PATCHES =
            PATCHES.stream().filter(each -> !each.contains("strategic")).toList();
    private static final List<String> WRITE = List.of("dryRun", "fieldManager", "fieldValidation");

    private final boolean version3;
    private final TypeSchemas types;

    PathSchemas(boolean version3) {
        this.version3 = version3;
        this.types = new TypeSchemas(version3);
    }

    void add(ObjectNode paths, Resource resource) {
        String type = TypeSchemas.definition(resource);
        String list =
                resource.basePath() + (resource.namespaced() ? "/namespaces/{namespace}/" : "/") + resource.plural();
        ObjectNode ofList = paths.putObject(list);
        operation(ofList, "get", "list", resource, type + "List", List.of());
        operation(ofList, "post", "post", resource, type, WRITE);
        ObjectNode ofObject = paths.putObject(list + "/{name}");
        operation(ofObject, "get", "get", resource, type, List.of());
        operation(ofObject, "put", "put", resource, type, WRITE);
        operation(ofObject, "patch", "patch", resource, type, WRITE);
        parameter(
                ((ObjectNode) ofObject.path("patch"))
                        .withArrayProperty("parameters")
                        .addObject(),
                "force",
                "query");
        operation(ofObject, "delete", "delete", resource, TypeSchemas.name("meta.v1.Status"), List.of("dryRun"));
        if (resource.namespaced()) {
            operation(
                    paths.putObject(resource.basePath() + "/" + resource.plural()),
                    "get",
                    "list",
                    resource,
                    type + "List",
                    List.of());
            parameter(ofList.putArray("parameters").addObject(), "namespace", "path");
            parameter(ofObject.putArray("parameters").addObject(), "namespace", "path");
        }
        parameter(ofObject.withArrayProperty("parameters").addObject(), "name", "path");
    }

    private void operation(
            ObjectNode item, String method, String action, Resource resource, String answer, List<String> query) {
        ObjectNode operation = item.putObject(method);
        operation.put("operationId", action + resource.group().replace(".", "") + resource.version() + resource.kind());
        query.forEach(
                name -> parameter(operation.withArrayProperty("parameters").addObject(), name, "query"));
        ObjectNode response = operation.putObject("responses").putObject("200").put("description", "OK");
        if (version3) {
            response.putObject("content").putObject("application/json").set("schema", types.referenceTo(answer));
        } else {
            response.set("schema", types.referenceTo(answer));
        }
        if (method.equals("patch") || method.equals("post") || method.equals("put")) {
            body(operation, method, resource);
        }
        operation.put("x-kubernetes-action", action);
        TypeSchemas.groupVersionKind(operation.putObject("x-kubernetes-group-version-kind"), resource, "");
    }

    private void body(ObjectNode operation, String method, Resource resource) {
        List<String> patches = Resources.isBuiltIn(resource) ? PATCHES : CUSTOM_PATCHES;
        List<String> media = method.equals("patch") ? patches : List.of("application/json", "application/yaml");
        ObjectNode schema = method.equals("patch")
                ? JsonNodeFactory.instance.objectNode().put("type", "object")
                : types.referenceTo(TypeSchemas.definition(resource));
        if (version3) {
            ObjectNode content = operation.putObject("requestBody").putObject("content");
            media.forEach(each -> content.putObject(each).set("schema", schema));
        } else {
            media.forEach(operation.putArray("consumes")::add);
            operation
                    .withArrayProperty("parameters")
                    .addObject()
                    .put("name", "body")
                    .put("in", "body")
                    .put("required", true)
                    .set("schema", schema);
        }
    }

    private void parameter(ObjectNode parameter, String name, String place) {
        parameter.put("name", name).put("in", place);
        if (place.equals("path")) {
            parameter.put("required", true);
        }
        String type = name.equals("force") ? "boolean" : "string";
        if (version3) {
            parameter.putObject("schema").put("type", type).put("uniqueItems", true);
        } else {
            parameter.put("type", type).put("uniqueItems", true);
        }
    }
}
