package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ConditionList;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

final class JobColumns {
    private JobColumns() {}

    static List<Column> all() {
        return List.of(
                Column.objectName(),
                Column.text("Status", JobColumns::status),
                Column.text("Completions", JobColumns::completions),
                new Column("Duration", "string", "", false, "Duration", JobColumns::duration),
                Column.age());
    }

    private static String status(JsonNode job) {
        for (String type : List.of("Complete", "Failed")) {
            if (ConditionList.isTrue(job, type)) {
                return type;
            }
        }
        if (job.path("metadata").has("deletionTimestamp")) {
            return "Terminating";
        }
        for (String type : List.of("Suspended", "FailureTarget", "SuccessCriteriaMet")) {
            if (ConditionList.isTrue(job, type)) {
                return type;
            }
        }
        return "Running";
    }

    private static String completions(JsonNode job) {
        long succeeded = job.path("status").path("succeeded").asLong();
        JsonNode wanted = job.path("spec").path("completions");
        if (wanted.isNumber()) {
            return succeeded + "/" + wanted.asLong();
        }
        long parallelism = job.path("spec").path("parallelism").asLong();
        return succeeded + "/1" + (parallelism > 1 ? " of " + parallelism : "");
    }

    private static Object duration(JsonNode job, Instant now) {
        JsonNode start = job.path("status").path("startTime");
        if (!start.isTextual()) {
            return "";
        }
        JsonNode end = job.path("status").path("completionTime");
        return Ages.of(
                Duration.between(Instant.parse(start.asText()), end.isTextual() ? Instant.parse(end.asText()) : now));
    }
}
