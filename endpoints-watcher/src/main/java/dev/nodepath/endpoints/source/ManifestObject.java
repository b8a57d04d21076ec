package dev.nodepath.endpoints.source;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One object of a manifest, of any kind.
 *
 * @param apiVersion such as {@code v1} or {@code discovery.k8s.io/v1}
 * @param kind such as {@code Pod}
 * @param namespace {@code default} if the object does not say; empty for a Node, Namespace or ClusterNetworkPolicy
 * @param name {@code metadata.name}; empty if it has none, as configuration files do
 * @param json the whole object, not to be changed
 * @param origin its place in the manifests
 */
public record ManifestObject(
        String apiVersion, String kind, String namespace, String name, JsonNode json, Origin origin) {
    /** The namespace of objects that name none. */
    public static final String DEFAULT_NAMESPACE = "default";

    private static final Set<String> CLUSTER_SCOPED = Set.of("Node", "Namespace", "ClusterNetworkPolicy");
    /** The kind of documents without one, in counts. */
    private static final String UNKNOWN_KIND = "Manifest";

    private static final String LIST = "List";
    /** The API versions in which kinds with a name that ends in List are lists. */
    private static final Set<String> LIST_API_VERSIONS =
            Set.of("v1", "discovery.k8s.io/v1", "networking.k8s.io/v1", "policy.networking.k8s.io/v1alpha2");

    /** A step of a path: an index, a field in brackets, or a field. */
    private static final Pattern STEP = Pattern.compile("\\[(\\d{1,9})]|(?<=\\[)[^]]+|[^.\\[\\]]+");

    /**
     * Where an object comes from.
     *
     * @param document its name in errors
     * @param lines the line that a value starts in, from 1, by the identity of its node
     */
    public record Origin(Path file, String document, IdentityHashMap<JsonNode, Integer> lines) {}

    /** The identity of an object: API group, kind, namespace, name. */
    record Key(String group, String kind, String namespace, String name) {}

    /** Adds the object of a document to the list, or the items if it is a list. Other values go to the handler. */
    static void collect(Origin origin, JsonNode json, List<ManifestObject> objects, BadObject.Handler bad)
            throws ManifestException {
        collect(origin, origin.document(), json, objects, bad);
    }

    private static void collect(
            Origin origin, String place, JsonNode json, List<ManifestObject> objects, BadObject.Handler bad)
            throws ManifestException {
        Problems problems = new Problems();
        Fields fields = Fields.of(json, problems);
        String apiVersion = fields.requiredText("apiVersion");
        String kind = fields.requiredText("kind");
        String name = fields.object("metadata").text("name");
        String namespace = fields.object("metadata").text("namespace");
        boolean list = kind.endsWith(LIST) && LIST_API_VERSIONS.contains(apiVersion);
        JsonNode items = fields.json("items");
        if (list && fields.has("items") && !items.isArray()) {
            fields.problem("items", "a list");
        }
        if (problems.count() > 0) {
            bad.handle(new BadObject(UNKNOWN_KIND, new BadObject.Place(origin.file(), place), problems));
        } else if (list) {
            for (int i = 0; i < items.size(); i++) {
                inherit(items.get(i), apiVersion, kind.substring(0, kind.length() - LIST.length()));
                collect(origin, place + ": items[" + i + "]", items.get(i), objects, bad);
            }
        } else {
            String defaulted = namespace.isEmpty() ? DEFAULT_NAMESPACE : namespace;
            objects.add(new ManifestObject(
                    apiVersion, kind, CLUSTER_SCOPED.contains(kind) ? "" : defaulted, name, json, origin));
        }
    }

    /** The items of a typed list, such as a PodList, need not have a kind and version. */
    private static void inherit(JsonNode item, String apiVersion, String kind) {
        if (!kind.isEmpty() && item instanceof ObjectNode object) {
            object.putIfAbsent("apiVersion", TextNode.valueOf(apiVersion));
            object.putIfAbsent("kind", TextNode.valueOf(kind));
        }
    }

    /**
     * Reads the fields.
     *
     * @throws ManifestException if there is a problem; it names the first one
     */
    public <T> T read(Function<Fields, T> reader) throws ManifestException {
        List<ManifestException> bad = new ArrayList<>();
        T value = read(reader, bad::add);
        if (!bad.isEmpty()) {
            throw bad.get(0);
        }
        return value;
    }

    /**
     * Reads the fields, including those beside a problem.
     *
     * @param bad is given an error of the first problem, if there is one
     */
    public <T> T read(Function<Fields, T> reader, Consumer<ManifestException> bad) {
        Problems problems = new Problems();
        T value = reader.apply(Fields.of(json, problems));
        if (problems.count() > 0) {
            bad.accept(error(problems));
        }
        return value;
    }

    /** An error of the field at this path, empty for the object itself, in words. */
    public ManifestException error(String field, String problem) {
        Problems problems = new Problems();
        problems.add(field, problem);
        return error(problems);
    }

    /** An error of the field at this path with this value. */
    public ManifestException error(String field, Object was, String expected) {
        Problems problems = new Problems();
        problems.add(field, was, expected);
        return error(problems);
    }

    private ManifestException error(Problems problems) {
        return new ManifestException(
                origin.file(),
                "line " + line(problems.firstField()) + ": " + place().object() + ": " + problems.first());
    }

    /** The file and the name in errors. */
    BadObject.Place place() {
        return new BadObject.Place(origin.file(), origin.document() + ": " + this);
    }

    /** The line, from 1, of the field at this path; of the value around it if it is absent or null. */
    public int line(String path) {
        int line = origin.lines().getOrDefault(json, 0);
        JsonNode value = json;
        Matcher step = STEP.matcher(path);
        while (step.find()) {
            String index = step.group(1);
            value = index == null ? value.path(step.group()) : value.path(Integer.parseInt(index));
            line = origin.lines().getOrDefault(value, line);
        }
        return line;
    }

    /** Whether it has this API group and kind; {@code ""} is the core group. */
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

    /** Kind, namespace and name. */
    @Override
    public String toString() {
        return name.isEmpty() ? kind : kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
    }
}
