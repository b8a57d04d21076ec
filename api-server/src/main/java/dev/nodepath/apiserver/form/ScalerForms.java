package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * HorizontalPodAutoscalers have two forms. {@code autoscaling/v1} has one number where {@code v2} has a metric of the
 * processor; other metrics stay in {@code v2} alone.
 */
final class ScalerForms {
    private static final String OLD = "targetCPUUtilizationPercentage";
    private static final String METRICS = "metrics";
    private static final String USED = "averageUtilization";

    private ScalerForms() {}

    /** An object of {@code autoscaling/v1} as it is stored. */
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
