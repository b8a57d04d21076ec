package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the labels of a Namespace. */
public final class PolicyNamespaceConverter {
    /** An API server gives this label to each Namespace, and refuses to change it. */
    private static final String NAME_LABEL = "kubernetes.io/metadata.name";

    private PolicyNamespaceConverter() {}

    /** The labels, and the label of the name: a handwritten manifest lacks it. */
    public static List<Map<String, String>> convert(NamespacedName name, Fields namespace) {
        Map<String, String> labels = new HashMap<>(namespace.object("metadata").textMap("labels"));
        labels.put(NAME_LABEL, name.name());
        return List.of(Map.copyOf(labels));
    }
}
