package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import java.util.List;
import java.util.Map;

/** Reads the labels of a Namespace. */
public final class PolicyNamespaceConverter {
    private PolicyNamespaceConverter() {}

    /** The labels. */
    public static List<Map<String, String>> convert(NamespacedName name, Fields namespace) {
        return List.of(Map.copyOf(namespace.object("metadata").textMap("labels")));
    }
}
