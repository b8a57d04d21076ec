package dev.nodepath.apiserver.request;

import dev.nodepath.apiserver.Kinds;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A path below a group's version: a kind, an object of it, or a subresource of one.
 *
 * @param resource the kind
 * @param namespace empty for all, and for kinds without namespaces
 * @param name empty for all objects
 * @param subresource empty for the object itself
 */
public record ResourcePath(Resource resource, String namespace, String name, String subresource) {
    private static final Set<String> OF_NAMESPACES = Set.of("status", "finalize");

    /** Reads {@code /api/v1/...} or {@code /apis/GROUP/VERSION/...}; empty if there is no such kind or part. */
    public static Optional<ResourcePath> parse(Kinds kinds, List<String> path) {
        int start =
                path.isEmpty() ? 0 : path.get(0).equals("api") ? 2 : path.get(0).equals("apis") ? 3 : 0;
        if (start == 0 || path.size() <= start || path.contains("")) {
            return Optional.empty();
        }
        String group = start == 2 ? "" : path.get(1);
        String version = path.get(start - 1);
        List<String> rest = path.subList(start, path.size());
        boolean inNamespace = rest.get(0).equals("namespaces")
                && rest.size() >= 3
                && !(rest.size() == 3 && group.isEmpty() && OF_NAMESPACES.contains(rest.get(2)));
        List<String> named = inNamespace ? rest.subList(2, rest.size()) : rest;
        return named.size() > 3
                ? Optional.empty()
                : kinds.at(group, version, named.get(0))
                        .map(resource -> new ResourcePath(
                                resource,
                                inNamespace ? rest.get(1) : "",
                                named.size() > 1 ? named.get(1) : "",
                                named.size() > 2 ? named.get(2) : ""))
                        .filter(ResourcePath::isPossible);
    }

    /** The key of the object. */
    public ObjectKey key() {
        return new ObjectKey(namespace, name);
    }

    private boolean isPossible() {
        boolean placed = resource.namespaced() ? !namespace.isEmpty() || name.isEmpty() : namespace.isEmpty();
        return placed && (subresource.isEmpty() || resource.has(subresource));
    }
}
