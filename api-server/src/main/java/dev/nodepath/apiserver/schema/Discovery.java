package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.CustomKind;
import dev.nodepath.apiserver.Kinds;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The documents of discovery (Kubernetes, "The Kubernetes API"), and the version. */
public final class Discovery {
    /** The type of {@link #aggregated}. */
    public static final String AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    /** The version of Kubernetes that this server follows. */
    static final String GIT_VERSION = "v1.36.0+nodepath";

    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    private final Kinds kinds;

    /** The documents of a cluster with these kinds. */
    public Discovery(Kinds kinds) {
        this.kinds = kinds;
    }

    /** The document at {@code /version}. */
    public static ObjectNode version() {
        return Json.MAPPER
                .createObjectNode()
                .put("major", "1")
                .put("minor", "36")
                .put("gitVersion", GIT_VERSION)
                .put("gitCommit", "")
                .put("gitTreeState", "clean")
                .put("buildDate", "1970-01-01T00:00:00Z")
                .put("goVersion", "")
                .put("compiler", "javac")
                .put("platform", "linux/amd64");
    }

    /** The document at a path: {@code /}, {@code /api}, {@code /apis}, a group, or a version. */
    public Optional<ObjectNode> at(List<String> path) {
        return switch (path.size()) {
            case 0 -> Optional.of(paths());
            case 1 ->
                switch (path.get(0)) {
                    case "api" -> Optional.of(coreVersions());
                    case "apis" -> Optional.of(groupList());
                    default -> Optional.empty();
                };
            case 2 ->
                path.get(0).equals("api")
                        ? resourceList("", path.get(1))
                        : path.get(0).equals("apis")
                                ? Optional.ofNullable(groups().get(path.get(1)))
                                : Optional.empty();
            case 3 -> path.get(0).equals("apis") ? resourceList(path.get(1), path.get(2)) : Optional.empty();
            default -> Optional.empty();
        };
    }

    /** All kinds of the core group, or of all others, in one document. */
    public byte[] aggregated(boolean core) {
        return Json.bytes(new AggregatedDiscovery(this).document(core));
    }

    /** The kinds whose objects are stored, and the questions. */
    Stream<Resource> everyKind() {
        return Stream.concat(kinds.all().stream(), Resources.reviews().stream());
    }

    /** The verbs of a kind's objects, or of one of its subresources. */
    static List<String> verbs(Resource resource, String subresource) {
        return switch (subresource) {
            case "" -> Resources.reviews().contains(resource) ? List.of("create") : VERBS;
            case "status", "scale", "approval", Resources.EPHEMERAL_CONTAINERS -> List.of("get", "patch", "update");
            case "finalize" -> List.of("update");
            case "log" -> List.of("get");
            case "exec", "attach", "portforward" -> List.of("create", "get");
            default -> List.of("create");
        };
    }

    /** The group, version and kind of a subresource's body. */
    static List<String> kind(Resource resource, String subresource) {
        return switch (subresource) {
            case "scale" -> List.of("autoscaling", "v1", "Scale");
            case "binding" -> List.of("", "v1", "Binding");
            case "eviction" -> List.of("policy", "v1", "Eviction");
            case "exec" -> List.of("", "v1", "PodExecOptions");
            case "token" -> List.of("authentication.k8s.io", "v1", "TokenRequest");
            case "attach" -> List.of("", "v1", "PodAttachOptions");
            case "portforward" -> List.of("", "v1", "PodPortForwardOptions");
            default -> List.of(resource.group(), resource.version(), resource.kind());
        };
    }

    String singular(Resource resource) {
        return kinds.custom(resource)
                .map(CustomKind::singular)
                .orElseGet(() -> resource.kind().toLowerCase(Locale.ROOT));
    }

    private ObjectNode paths() {
        ObjectNode root = Json.MAPPER.createObjectNode();
        ArrayNode paths = root.putArray("paths");
        List.of("/api", "/api/v1", "/apis").forEach(paths::add);
        everyKind()
                .map(Resource::basePath)
                .filter(each -> each.startsWith("/apis"))
                .distinct()
                .forEach(paths::add);
        List.of("/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version")
                .forEach(paths::add);
        return root;
    }

    private static ObjectNode coreVersions() {
        ObjectNode versions = Json.MAPPER.createObjectNode().put("kind", "APIVersions");
        versions.putArray("versions").add("v1");
        versions.putArray("serverAddressByClientCIDRs");
        return versions;
    }

    private ObjectNode groupList() {
        ObjectNode list =
                Json.MAPPER.createObjectNode().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode all = list.putArray("groups");
        groups().values().forEach(group -> {
            group.remove(List.of("kind", "apiVersion"));
            all.add(group);
        });
        return list;
    }

    private Map<String, ObjectNode> groups() {
        Map<String, ObjectNode> groups = new LinkedHashMap<>();
        for (Resource each : everyKind().toList()) {
            if (!each.group().isEmpty()) {
                ObjectNode group = groups.computeIfAbsent(each.group(), name -> group(each));
                ArrayNode versions = group.withArrayProperty("versions");
                if (!versions.findValuesAsText("version").contains(each.version())) {
                    versions.add(version(each));
                }
            }
        }
        return groups;
    }

    private static ObjectNode group(Resource member) {
        ObjectNode group =
                Json.MAPPER.createObjectNode().put("kind", "APIGroup").put("apiVersion", "v1");
        group.put("name", member.group());
        group.putArray("versions").add(version(member));
        group.set("preferredVersion", version(member));
        return group;
    }

    private static ObjectNode version(Resource member) {
        return Json.MAPPER
                .createObjectNode()
                .put("groupVersion", member.apiVersion())
                .put("version", member.version());
    }

    private Optional<ObjectNode> resourceList(String group, String version) {
        List<Resource> members = everyKind()
                .filter(each -> each.group().equals(group) && each.version().equals(version))
                .toList();
        if (members.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode list =
                Json.MAPPER.createObjectNode().put("kind", "APIResourceList").put("apiVersion", "v1");
        list.put("groupVersion", members.get(0).apiVersion());
        ArrayNode resources = list.putArray("resources");
        for (Resource each : members) {
            resource(resources.addObject(), each);
            each.subresources().forEach(part -> subresource(resources.addObject(), each, part));
        }
        return Optional.of(list);
    }

    private void resource(ObjectNode into, Resource resource) {
        into.put("name", resource.plural())
                .put("singularName", singular(resource))
                .put("namespaced", resource.namespaced())
                .put("kind", resource.kind());
        verbs(resource, "").forEach(into.putArray("verbs")::add);
        if (!resource.shortNames().isEmpty()) {
            resource.shortNames().forEach(into.putArray("shortNames")::add);
        }
        if (!resource.categories().isEmpty()) {
            resource.categories().forEach(into.putArray("categories")::add);
        }
    }

    private static void subresource(ObjectNode into, Resource resource, String part) {
        into.put("name", resource.plural() + "/" + part)
                .put("singularName", "")
                .put("namespaced", resource.namespaced());
        List<String> kind = kind(resource, part);
        if (!kind.get(0).equals(resource.group())) {
            into.put("group", kind.get(0)).put("version", kind.get(1));
        }
        into.put("kind", kind.get(2));
        verbs(resource, part).forEach(into.putArray("verbs")::add);
    }
}
