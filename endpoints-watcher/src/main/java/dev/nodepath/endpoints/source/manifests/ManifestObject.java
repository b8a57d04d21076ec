package dev.nodepath.endpoints.source.manifests;

import java.util.List;
import java.util.Set;

/**
 * One object of a manifest, of any kind.
 *
 * @param apiVersion such as {@code v1} or {@code discovery.k8s.io/v1}
 * @param kind such as {@code Pod}
 * @param namespace {@code default} if the object does not say; empty for a kind that has none
 * @param name {@code metadata.name}; empty if it has none, as configuration files do
 * @param root the whole object
 */
public record ManifestObject(String apiVersion, String kind, String namespace, String name, ManifestNode root) {
    /** The namespace of objects that name none. */
    public static final String DEFAULT_NAMESPACE = "default";

    private static final Set<String> CLUSTER_SCOPED = Set.of("Node", "Namespace");
    private static final String LIST = "List";
    /** Where a kind that ends in List is one; elsewhere it may be anything. */
    private static final Set<String> LIST_API_VERSIONS = Set.of("v1", "discovery.k8s.io/v1");

    /** What makes an object the same one wherever it stands: API group, kind, namespace, name. */
    record Key(String group, String kind, String namespace, String name) {}

    /** Adds the object of a document to the list, or the items if it is a list of objects. */
    static void collect(ManifestNode document, List<ManifestObject> objects) throws ManifestException {
        collect(
                document,
                document.get("apiVersion").asString(),
                document.get("kind").asString(),
                objects);
    }

    private static void collect(ManifestNode node, String apiVersion, String kind, List<ManifestObject> objects)
            throws ManifestException {
        if (!kind.endsWith(LIST) || !LIST_API_VERSIONS.contains(apiVersion)) {
            objects.add(of(node, apiVersion, kind));
            return;
        }
        // The items of a typed list such as ServiceList do not repeat what they are; those of a plain List do.
        String itemKind = kind.substring(0, kind.length() - LIST.length());
        for (ManifestNode item : node.get("items").items()) {
            ManifestNode itemVersion = item.get("apiVersion");
            collect(
                    item,
                    itemKind.isEmpty() ? itemVersion.asString() : itemVersion.asString(apiVersion),
                    itemKind.isEmpty()
                            ? item.get("kind").asString()
                            : item.get("kind").asString(itemKind),
                    objects);
        }
    }

    private static ManifestObject of(ManifestNode node, String apiVersion, String kind) throws ManifestException {
        ManifestNode metadata = node.get("metadata");
        String name = metadata.get("name").asString("");
        String namespace =
                CLUSTER_SCOPED.contains(kind) ? "" : metadata.get("namespace").asString(DEFAULT_NAMESPACE);
        String shown = name.isEmpty() ? kind : kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
        return new ManifestObject(apiVersion, kind, namespace, name, node.asObject(shown));
    }

    /** Whether it is of this kind of this API group; {@code ""} is the core group. */
    public boolean is(String group, String kind) {
        return this.kind.equals(kind) && group().equals(group);
    }

    Key key() {
        return new Key(group(), kind, namespace, name);
    }

    private String group() {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }

    /** Kind, namespace and name, as in errors. */
    @Override
    public String toString() {
        return root.toString();
    }
}
