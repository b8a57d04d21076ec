package dev.nodepath.endpoints;

import java.util.Comparator;

/** The name of a namespaced Kubernetes object; its text is {@code namespace/name}. */
public record NamespacedName(String namespace, String name) implements Comparable<NamespacedName> {
    private static final Comparator<NamespacedName> ORDER =
            Comparator.comparing(NamespacedName::namespace).thenComparing(NamespacedName::name);

    @Override
    public int compareTo(NamespacedName other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
