package dev.nodepath.controllers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import java.io.UncheckedIOException;

/** Objects as a user writes them. */
public final class TestObjects {
    private static final ObjectMapper JSON = new ObjectMapper();

    private TestObjects() {}

    /** An object with a name alone. */
    public static ObjectNode object(Resource resource, String namespace, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", resource.apiVersion()).put("kind", resource.kind());
        ObjectNode metadata = object.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        return object;
    }

    /** JSON, with single quotes for double ones. */
    public static ObjectNode json(String text) {
        try {
            return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A Pod in the namespace default with the label {@code app: web}, and with a container if it names none. */
    public static ObjectNode pod(String name, String spec) {
        ObjectNode pod = json("{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': '" + name
                + "', 'namespace': 'default', 'labels': {'app': 'web'}}, 'spec': " + spec + "}");
        if (!pod.path("spec").has("containers")) {
            pod.withObjectProperty("spec")
                    .putArray("containers")
                    .addObject()
                    .put("name", "c")
                    .put("image", "v1");
        }
        return pod;
    }

    /** A Service in the namespace default that selects {@code app: web}. */
    public static ObjectNode service(String name, String spec) {
        ObjectNode service = json("{'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': '" + name
                + "', 'namespace': 'default'}, 'spec': " + spec + "}");
        if (!service.path("spec").has("selector")) {
            service.withObjectProperty("spec").putObject("selector").put("app", "web");
        }
        return service;
    }

    /** A workload in the namespace default with the label {@code app} as its name. */
    public static ObjectNode workload(Resource resource, String name, int replicas, String image, String spec) {
        ObjectNode object = object(resource, "default", name);
        ObjectNode own = json(spec);
        own.put("replicas", replicas);
        own.withObjectProperty("selector").withObjectProperty("matchLabels").put("app", name);
        JsonNode template = json("{'metadata': {'labels': {'app': '" + name
                + "'}}, 'spec': {'containers': [{'name': 'c', 'image': '" + image + "'}]}}");
        own.set("template", template);
        object.set("spec", own);
        return object;
    }
}
