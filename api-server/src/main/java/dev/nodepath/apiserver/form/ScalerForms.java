package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * HorizontalPodAutoscalers have two forms. {@code autoscaling/v1} has one number for {@code v2}'s metric of the
 * processor; other metrics are only in {@code v2}.
 */
final class ScalerForms {
    private static final String OLD = "targetCPUUtilizationPercentage";
    private static final String METRICS = "metrics";
    private static final String USED = "averageUtilization";

    /** The most metrics that {@code kubectl get} names. */
    private static final int SHOWN_MAX = 2;

    private ScalerForms() {}

    /**
     * The targets of an autoscaler, as {@code kubectl get} shows them: {@code cpu: <unknown>/50%, memory:
     * <unknown>/1Gi + 1 more...}. No metric is ever known here.
     */
    static String targets(JsonNode object) {
        List<String> targets = new ArrayList<>();
        for (JsonNode metric : toStored((ObjectNode) object).path("spec").path(METRICS)) {
            String type = metric.path("type").asText();
            JsonNode source = metric.path(type.substring(0, 1).toLowerCase(Locale.ROOT) + type.substring(1));
            boolean named = type.equals("Resource") || type.equals("ContainerResource");
            String average = named || type.equals("Pods") ? "" : " (avg)";
            targets.add((named ? source.path("name").asText() + ": " : "") + "<unknown>/"
                    + target(source.path("target"), average));
        }
        String shown = String.join(", ", targets.subList(0, Math.min(SHOWN_MAX, targets.size())));
        int more = targets.size() - SHOWN_MAX;
        return targets.isEmpty() ? Cells.NONE : shown + (more > 0 ? " + " + more + " more..." : "");
    }

    private static String target(JsonNode target, String average) {
        if (target.has(USED)) {
            return target.path(USED).asText() + "%";
        }
        return target.has("averageValue")
                ? target.path("averageValue").asText() + average
                : target.path("value").asText("<auto>");
    }

    /** An object of {@code autoscaling/v1} in its stored form. */
    static ObjectNode toStored(ObjectNode object) {
        ObjectNode stored = object.deepCopy().put("apiVersion", "autoscaling/v2");
        if (stored.get("spec") instanceof ObjectNode spec && spec.has(OLD)) {
            JsonNode percent = spec.remove(OLD);
            ObjectNode metric = spec.putArray(METRICS).addObject().put("type", "Resource");
            ObjectNode target = metric.putObject("resource").put("name", "cpu").putObject("target");
            target.put("type", "Utilization").set(USED, percent);
        }
        return stored;
    }

    /** A stored object as {@code autoscaling/v1}. */
    static ObjectNode toOld(ObjectNode object) {
        ObjectNode old = object.deepCopy().put("apiVersion", "autoscaling/v1");
        if (old.get("spec") instanceof ObjectNode spec) {
            JsonNode metrics = spec.has(METRICS) ? spec.remove(METRICS) : spec.arrayNode();
            for (JsonNode metric : metrics instanceof ArrayNode list ? list : spec.arrayNode()) {
                JsonNode resource = metric.path("resource");
                JsonNode used = resource.path("target").path(USED);
                if (resource.path("name").asText().equals("cpu") && used.isNumber()) {
                    spec.set(OLD, used);
                }
            }
            spec.remove("behavior");
        }
        return old;
    }
}
