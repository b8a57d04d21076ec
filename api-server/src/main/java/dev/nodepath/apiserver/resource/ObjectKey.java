package dev.nodepath.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Names one object of a kind.
 *
 * @param namespace empty for kinds without namespaces
 * @param name of the object
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {

    /** The key of an object, from its metadata. */
    public static ObjectKey of(JsonNode object) {
        return new ObjectKey(
                object.path("metadata").path("namespace").asText(""),
                object.path("metadata").path("name").asText(""));
    }

    @Override
    public int compareTo(ObjectKey other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace == 0 ? name.compareTo(other.name) : byNamespace;
    }

    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
