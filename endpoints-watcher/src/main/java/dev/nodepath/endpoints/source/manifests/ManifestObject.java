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
    /** The kind of documents without one, in counts. */
    private static final String UNKNOWN_KIND = "Manifest";

    private static final String LIST = "List";
    /** The API versions whose kinds that end in List are lists. */
    private static final Set<String> LIST_API_VERSIONS = Set.of("v1", "discovery.k8s.io/v1");

    /** The identity of an object: API group, kind, namespace, name. */
    record Key(String group, String kind, String namespace, String name) {}

    /** Adds the object of a document to the list, or the items if it is a list of objects. */
    static void collect(ManifestNode document, List<ManifestObject> objects, BadObject.Handler bad)
            throws ManifestException {
        collect(document, "", "", objects, bad);
    }

    /** Collects objects. Values that are no objects go to the handler. The items of a typed list inherit its kind. */
    private static void collect(
            ManifestNode node, String version, String typed, List<ManifestObject> objects, BadObject.Handler bad)
            throws ManifestException {
        List<ManifestNode> items;
        String apiVersion;
        String itemKind;
        try {
            apiVersion = text(node.get("apiVersion"), version);
            String kind = text(node.get("kind"), typed);
            if (!kind.endsWith(LIST) || !LIST_API_VERSIONS.contains(apiVersion)) {
                objects.add(of(node, apiVersion, kind));
                return;
            }
            items = node.get("items").items();
            itemKind = kind.substring(0, kind.length() - LIST.length());
        } catch (ManifestException e) {
            bad.handle(BadObject.of(UNKNOWN_KIND, e));
            return;
        }
        for (ManifestNode item : items) {
            collect(item, itemKind.isEmpty() ? "" : apiVersion, itemKind, objects, bad);
        }
    }

    private static String text(ManifestNode node, String otherwise) throws ManifestException {
        return otherwise.isEmpty() ? node.asString() : node.asString(otherwise);
    }

    private static ManifestObject of(ManifestNode node, String apiVersion, String kind) throws ManifestException {
        ManifestNode metadata = node.get("metadata");
        String name = metadata.get("name").asString("");
        String namespace =
                CLUSTER_SCOPED.contains(kind) ? "" : metadata.get("namespace").asString(DEFAULT_NAMESPACE);
        return new ManifestObject(apiVersion, kind, namespace, name, node.asObject(shown(kind, namespace, name)));
    }

    /** Whether it has this API group and kind; {@code ""} is the core group. */
    public boolean is(String group, String kind) {
        return this.kind.equals(kind) && group().equals(group);
    }

    /** All of it as JSON text on one line. */
    public String toJson() {
        return root.json().toString();
    }

    Key key() {
        return new Key(group(), kind, namespace, name);
    }

    private String group() {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }

    /** Kind, namespace and name. */
    @Override
    public String toString() {
        return shown(kind, namespace, name);
    }

    private static String shown(String kind, String namespace, String name) {
        return name.isEmpty() ? kind : kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
    }
}
