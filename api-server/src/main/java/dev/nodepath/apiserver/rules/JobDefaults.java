package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

final class JobDefaults {
    private static final int BACK_OFF_LIMIT = 6;
    private static final String PREFIX = "batch.kubernetes.io/";

    private JobDefaults() {}

    static void apply(ObjectNode job) {
        ObjectNode spec = job.withObjectProperty("spec");
        boolean queue = spec.has("parallelism") && !spec.has("completions");
        if (!queue) {
            Absent.put(spec, "completions", 1);
        }
        Absent.put(spec, "parallelism", 1);
        Absent.put(spec, "backoffLimit", spec.has("backoffLimitPerIndex") ? Integer.MAX_VALUE : BACK_OFF_LIMIT);
        Absent.put(spec, "completionMode", "NonIndexed");
        Absent.put(spec, "suspend", false);
        Absent.put(spec, "podReplacementPolicy", spec.has("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
        for (JsonNode rule : spec.path("podFailurePolicy").path("rules")) {
            Absent.items(rule.path("onPodConditions")).forEach(pattern -> Absent.put(pattern, "status", "True"));
        }
        if (spec.path("template").path("spec") instanceof ObjectNode template) {
            PodDefaults.template(template);
        }
    }

    /** Adds the labels that tell a Job's Pods from all others, and their selector. */
    static void start(ObjectNode job) {
        ObjectNode spec = job.withObjectProperty("spec");
        ObjectNode metadata = job.withObjectProperty("metadata");
        ObjectNode template = spec.withObjectProperty("template").withObjectProperty("metadata");
        if (metadata.path("labels").isEmpty() && !template.path("labels").isEmpty()) {
            metadata.set("labels", template.path("labels").deepCopy());
        }
        if (spec.path("manualSelector").asBoolean() || spec.has("selector")) {
            return;
        }
        String uid = metadata.path("uid").asText();
        ObjectNode labels = template.withObjectProperty("labels");
        for (String prefix : List.of("", PREFIX)) {
            labels.put(prefix + "job-name", metadata.path("name").asText());
            labels.put(prefix + "controller-uid", uid);
        }
        spec.putObject("selector").putObject("matchLabels").put(PREFIX + "controller-uid", uid);
    }
}
