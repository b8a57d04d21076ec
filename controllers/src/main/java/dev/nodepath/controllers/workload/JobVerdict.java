package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.controllers.object.Meta;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The reason of a Job's end, in the words of its conditions.
 *
 * @param condition {@code FailureTarget} or {@code SuccessCriteriaMet}: the Job gets it at once
 */
record JobVerdict(String condition, String reason, String message) {
    private static final String FAILURE = "FailureTarget";
    private static final String SUCCESS = "SuccessCriteriaMet";

    /** The verdict, if the Job has reached its end. An earlier verdict stays. */
    static Optional<JobVerdict> of(ObjectNode job, JobProgress done, List<ObjectNode> active, Instant now) {
        return before(job)
                .or(() -> done.fatal().map(message -> failure("PodFailurePolicy", message)))
                .or(() -> limits(job, done, active, now))
                .or(() -> indexes(job, done))
                .or(() -> complete(job, done, active));
    }

    boolean isFailure() {
        return condition.equals(FAILURE);
    }

    /** The final condition, once no Pods are left. */
    String end() {
        return isFailure() ? "Failed" : "Complete";
    }

    /** The second of the Job's deadline; empty if it has none, or has not started. */
    static OptionalLong deadline(JsonNode job) {
        JsonNode seconds = job.path("spec").path("activeDeadlineSeconds");
        Optional<Instant> start = Meta.time(job.path("status").path("startTime"));
        return seconds.isNumber() && start.isPresent()
                ? OptionalLong.of(start.get().getEpochSecond() + seconds.asLong())
                : OptionalLong.empty();
    }

    private static JobVerdict failure(String reason, String message) {
        return new JobVerdict(FAILURE, reason, message);
    }

    private static Optional<JobVerdict> before(JsonNode job) {
        return ConditionList.find(job, SUCCESS)
                .or(() -> ConditionList.find(job, FAILURE))
                .map(each -> new JobVerdict(
                        each.path("type").asText(),
                        each.path("reason").asText(),
                        each.path("message").asText()));
    }

    private static Optional<JobVerdict> limits(ObjectNode job, JobProgress done, List<ObjectNode> active, Instant now) {
        long limit = job.path("spec").path("backoffLimit").asLong();
        if (done.failed() > limit || restartedTooOften(job, active, limit)) {
            return Optional.of(failure("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
        }
        OptionalLong deadline = deadline(job);
        return deadline.isPresent() && now.getEpochSecond() >= deadline.getAsLong()
                ? Optional.of(failure("DeadlineExceeded", "Job was active longer than specified deadline"))
                : Optional.empty();
    }

    /** With {@code OnFailure} the kubelet restarts containers, so restarts count instead of Pods. */
    private static boolean restartedTooOften(JsonNode job, List<ObjectNode> active, long limit) {
        if (!job.at("/spec/template/spec/restartPolicy").asText().equals("OnFailure")) {
            return false;
        }
        long restarts = 0;
        for (JsonNode pod : active) {
            for (String list : List.of("initContainerStatuses", "containerStatuses")) {
                for (JsonNode each : pod.path("status").path(list)) {
                    restarts += each.path("restartCount").asLong();
                }
            }
        }
        return limit == 0 ? restarts > 0 : restarts >= limit;
    }

    private static Optional<JobVerdict> indexes(JsonNode job, JobProgress done) {
        int failed = done.failedIndexes().size();
        JsonNode most = job.path("spec").path("maxFailedIndexes");
        if (most.isNumber() && failed > most.asInt()) {
            return Optional.of(failure(
                    "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"));
        }
        int completions = job.path("spec").path("completions").asInt();
        if (failed > 0 && failed + done.succeeded() >= completions) {
            return Optional.of(failure("FailedIndexes", "Job has failed indexes"));
        }
        OptionalInt rule = SuccessPolicy.met(job, done.completed());
        return rule.isPresent()
                ? Optional.of(new JobVerdict(SUCCESS, "SuccessPolicy", "Matched rules at index " + rule.getAsInt()))
                : Optional.empty();
    }

    private static Optional<JobVerdict> complete(JsonNode job, JobProgress done, List<ObjectNode> active) {
        JsonNode completions = job.path("spec").path("completions");
        boolean complete = completions.isNumber()
                ? done.succeeded() >= completions.asInt()
                : done.succeeded() > 0 && active.isEmpty();
        return complete
                ? Optional.of(
                        new JobVerdict(SUCCESS, "CompletionsReached", "Reached expected number of succeeded pods"))
                : Optional.empty();
    }
}
