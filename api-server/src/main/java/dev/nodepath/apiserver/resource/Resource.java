package dev.nodepath.apiserver.resource;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A kind of objects, as discovery names it.
 *
 * @param group empty for the core group
 * @param version such as {@code v1}
 * @param plural the name in paths, such as {@code pods}
 * @param kind such as {@code Pod}
 * @param namespaced whether its objects are in namespaces
 * @param shortNames further names for kubectl, such as {@code po}
 * @param subresources besides the object itself, such as {@code status} and {@code scale}
 * @param categories such as {@code all}
 */
public record Resource(
        String group,
        String version,
        String plural,
        String kind,
        boolean namespaced,
        List<String> shortNames,
        List<String> subresources,
        List<String> categories) {

    public Resource {
        shortNames = List.copyOf(shortNames);
        subresources = List.copyOf(subresources);
        categories = List.copyOf(categories);
    }

    /** Its {@code apiVersion}: {@code v1} or {@code apps/v1}. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** The path of its group and version: {@code /api/v1} or {@code /apis/apps/v1}. */
    public String basePath() {
        return (group.isEmpty() ? "/api/" : "/apis/" + group + "/") + version;
    }

    /** The name that errors use: {@code pods} or {@code deployments.apps}. */
    public String qualifiedName() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    /** Whether it has this subresource. */
    public boolean has(String subresource) {
        return subresources.contains(subresource);
    }

    /** Group, version and plural name identify the kind; the other components describe it. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Resource that
                && plural.equals(that.plural)
                && group.equals(that.group)
                && version.equals(that.version);
    }

    @Override
    public int hashCode() {
        return Objects.hash(group, version, plural);
    }

    @Override
    public String toString() {
        return qualifiedName();
    }
}
