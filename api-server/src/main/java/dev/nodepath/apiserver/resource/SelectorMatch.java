package dev.nodepath.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Whether labels match a selector in the three forms of Kubernetes: a map (Service), {@code matchLabels} with {@code
 * matchExpressions} (workloads), and lists of expressions (terms of a node affinity).
 */
public final class SelectorMatch {
    private SelectorMatch() {}

    /** Whether the labels have every pair of a map. An empty map matches nothing, as a Service without selector. */
    public static boolean matchesMap(JsonNode map, JsonNode labels) {
        return !map.isEmpty() && hasAll(map, labels);
    }

    /** Whether a Service selects a Pod: the Pod is in its namespace and has the labels. */
    public static boolean selects(JsonNode service, JsonNode pod) {
        JsonNode metadata = pod.path("metadata");
        return service.path("metadata").path("namespace").equals(metadata.path("namespace"))
                && matchesMap(service.path("spec").path("selector"), metadata.path("labels"));
    }

    /**
     * Whether a {@code metav1.LabelSelector} selects the labels. An empty selector selects all, a missing one none.
     */
    public static boolean matches(JsonNode selector, JsonNode labels) {
        return selector.isObject()
                && hasAll(selector.path("matchLabels"), labels)
                && matchesAll(selector.path("matchExpressions"), labels);
    }

    /** Whether the labels meet every expression of a list: In, NotIn, Exists, DoesNotExist, Gt or Lt. */
    public static boolean matchesAll(JsonNode expressions, JsonNode labels) {
        for (JsonNode each : expressions) {
            if (!LabelRequirement.of(each).matches(labels)) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasAll(JsonNode map, JsonNode labels) {
        for (Map.Entry<String, JsonNode> each : map.properties()) {
            if (!each.getValue().equals(labels.get(each.getKey()))) {
                return false;
            }
        }
        return true;
    }

    /** A {@code metav1.LabelSelector} as text, such as {@code a=b,c in (d,e)}. */
    public static String text(JsonNode selector) {
        SortedSet<String> labels = new TreeSet<>();
        for (Map.Entry<String, JsonNode> each : selector.path("matchLabels").properties()) {
            labels.add(each.getKey() + "=" + each.getValue().asText());
        }
        List<String> all = new ArrayList<>(labels);
        selector.path("matchExpressions")
                .forEach(each -> all.add(LabelRequirement.of(each).toString()));
        return String.join(",", all);
    }
}
