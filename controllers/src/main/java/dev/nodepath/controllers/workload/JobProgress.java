package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the Pods of one Job have done so far. A Pod that has ended is counted once, also when it is deleted later. The
 * process of the cluster remembers it: nothing outlives that process.
 */
final class JobProgress {
    private static final Duration BACK_OFF = Duration.ofSeconds(10);
    private static final Duration BACK_OFF_MAX = Duration.ofMinutes(10);
    private static final int DOUBLINGS_MAX = 10;

    private final Set<String> counted = new HashSet<>();
    private final NavigableSet<Integer> completed = new TreeSet<>();
    private int succeeded;
    private int failed;
    private int failuresInARow;
    private Instant lastFailure = Instant.EPOCH;

    /** Counts Pods that have ended since. One that somebody else deletes has failed. */
    void count(Collection<? extends JsonNode> pods, JsonNode job, Instant now) {
        for (JsonNode pod : pods) {
            boolean success = PodState.phase(pod).equals("Succeeded");
            boolean failure = PodState.phase(pod).equals("Failed") || (Meta.isTerminating(pod) && !success);
            if ((success || failure) && counted.add(Meta.uid(pod))) {
                count(pod, success, isIndexed(job), now);
            }
        }
    }

    /** The controller ends a Pod. It counts as failed only where the Job fails. */
    void end(JsonNode pod, boolean failing) {
        if (counted.add(Meta.uid(pod)) && failing) {
            failed++;
        }
    }

    private void count(JsonNode pod, boolean success, boolean indexed, Instant now) {
        if (!success) {
            failed++;
            failuresInARow++;
            lastFailure = now;
            return;
        }
        failuresInARow = 0;
        if (indexed) {
            JobIndexes.of(pod).ifPresent(completed::add);
            succeeded = completed.size();
        } else {
            succeeded++;
        }
    }

    int succeeded() {
        return succeeded;
    }

    int failed() {
        return failed;
    }

    /** Indexes whose Pods have succeeded. */
    NavigableSet<Integer> completed() {
        return completed;
    }

    /** When the next Pod may be created: 10 s after a failure, twice as long after each further one. */
    Instant nextStart() {
        if (failuresInARow == 0) {
            return Instant.EPOCH;
        }
        Duration wait = BACK_OFF.multipliedBy(1L << Math.min(failuresInARow - 1, DOUBLINGS_MAX));
        return lastFailure.plus(wait.compareTo(BACK_OFF_MAX) < 0 ? wait : BACK_OFF_MAX);
    }

    static boolean isIndexed(JsonNode job) {
        return job.path("spec").path("completionMode").asText().equals("Indexed");
    }

    /** The condition with which a Job has ended. */
    static Optional<JsonNode> end(JsonNode job) {
        return ConditionList.isTrue(job, "Complete")
                ? ConditionList.find(job, "Complete")
                : ConditionList.find(job, "Failed")
                        .filter(each -> each.path("status").asText().equals("True"));
    }
}
