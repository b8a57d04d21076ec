package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import java.util.List;

/** The Pods of a Job: their names, and the further fields of Pods with an index. */
final class JobPods {
    private static final String VARIABLE = "JOB_COMPLETION_INDEX";

    private JobPods() {}

    static ObjectNode of(JsonNode job) {
        ObjectNode pod = PodFactory.fromTemplate(job, job.path("spec").path("template"));
        pod.withObjectProperty("metadata").put("generateName", Meta.name(job) + "-");
        return pod;
    }

    static ObjectNode of(JsonNode job, int index) {
        ObjectNode pod = of(job);
        String number = String.valueOf(index);
        String host = Meta.name(job) + "-" + number;
        pod.withObjectProperty("metadata").put("generateName", host + "-");
        Meta.annotate(pod, JobIndexes.INDEX, number);
        Meta.label(pod, JobIndexes.INDEX, number);
        ObjectNode spec = pod.withObjectProperty("spec").put("hostname", host);
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode each : spec.path(list)) {
                if (each instanceof ObjectNode container && !has(container.path("env"))) {
                    variable(container);
                }
            }
        }
        return pod;
    }

    private static boolean has(JsonNode variables) {
        return variables.findValuesAsText("name").contains(VARIABLE);
    }

    private static void variable(ObjectNode container) {
        container
                .withArrayProperty("env")
                .addObject()
                .put("name", VARIABLE)
                .putObject("valueFrom")
                .putObject("fieldRef")
                .put("apiVersion", "v1")
                .put("fieldPath", "metadata.labels['" + JobIndexes.INDEX + "']");
    }
}
