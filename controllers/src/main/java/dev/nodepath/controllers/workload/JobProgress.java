package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * The results of one Job's Pods so far. An ended Pod is counted once, even if it is deleted later. They are only in
 * memory, as a cluster ends with its process.
 */
final class JobProgress {
    private final Set<String> counted = new HashSet<>();
    private final NavigableSet<Integer> completed = new TreeSet<>();
    private final NavigableSet<Integer> failedIndexes = new TreeSet<>();
    private final Map<Integer, IndexFailures> indexFailures = new HashMap<>();
    private final FailureBackOff backOff = new FailureBackOff();
    private Optional<String> fatal = Optional.empty();
    private int succeeded;
    private int failed;

    /** Counts the Pods that have ended since the last call. A Pod that another client deletes has failed. */
    void count(Collection<? extends JsonNode> pods, JsonNode job, Instant now) {
        if (isIndexed(job)) {
            forgetIndexesFrom(job.path("spec").path("completions").asInt());
        }
        for (JsonNode pod : pods) {
            boolean leaves = Meta.isTerminating(pod) && !replacesFailedOnly(job);
            if (PodState.isFinished(pod) || leaves) {
                countEnd(pod, job, now);
            }
        }
    }

    /** Counts an ended or deleted Pod by its last state. Without success it has failed. */
    void countEnd(JsonNode pod, JsonNode job, Instant now) {
        if (PodState.phase(pod).equals("Succeeded")) {
            succeed(pod, job);
        } else {
            fail(pod, job, now);
        }
    }

    /** A Job may get fewer completions while it runs. */
    private void forgetIndexesFrom(int completions) {
        completed.tailSet(completions).clear();
        failedIndexes.tailSet(completions).clear();
        succeeded = completed.size();
    }

    /** Notes that the controller ends a Pod. The Pod counts as failed only if the Job fails. */
    void end(JsonNode pod, boolean failing) {
        if (counted.add(Meta.uid(pod)) && failing) {
            failed++;
        }
    }

    private void succeed(JsonNode pod, JsonNode job) {
        if (!counted.add(Meta.uid(pod))) {
            return;
        }
        backOff.succeeded();
        if (isIndexed(job)) {
            index(pod, job).ifPresent(completed::add);
            succeeded = completed.size();
        } else {
            succeeded++;
        }
    }

    private void fail(JsonNode pod, JsonNode job, Instant now) {
        OptionalInt index = index(pod, job);
        if (!counted.add(Meta.uid(pod)) || (isIndexed(job) && index.isEmpty())) {
            return;
        }
        PodFailurePolicy.Meaning meaning = PodFailurePolicy.of(job, pod);
        boolean ignored = meaning.action() == PodFailurePolicy.Action.IGNORE;
        failed += ignored ? 0 : 1;
        backOff.failed(now);
        if (meaning.action() == PodFailurePolicy.Action.FAIL_JOB && fatal.isEmpty()) {
            fatal = Optional.of(meaning.message());
        }
        if (limitsIndexes(job) && index.isPresent()) {
            IndexFailures failures = failures(index.getAsInt());
            failures.add(ignored, now);
            if (meaning.action() == PodFailurePolicy.Action.FAIL_INDEX
                    || failures.counted()
                            > job.path("spec").path("backoffLimitPerIndex").asInt()) {
                failedIndexes.add(index.getAsInt());
            }
        }
    }

    private static OptionalInt index(JsonNode pod, JsonNode job) {
        OptionalInt index = JobIndexes.of(pod);
        return index.isPresent()
                        && index.getAsInt()
                                < job.path("spec").path("completions").asInt()
                ? index
                : OptionalInt.empty();
    }

    private IndexFailures failures(int index) {
        return indexFailures.computeIfAbsent(index, each -> new IndexFailures());
    }

    int succeeded() {
        return succeeded;
    }

    int failed() {
        return failed;
    }

    /** Why a Pod's failure fails the Job. */
    Optional<String> fatal() {
        return fatal;
    }

    /** Indexes whose Pods have succeeded. */
    NavigableSet<Integer> completed() {
        return completed;
    }

    /** Indexes whose Pods have failed too often, or with a fatal failure. */
    NavigableSet<Integer> failedIndexes() {
        return failedIndexes;
    }

    /** The earliest time of the next Pod. With a limit for each index, each index has a wait of its own. */
    Instant nextStart(JsonNode job) {
        return limitsIndexes(job) ? Instant.EPOCH : backOff.next();
    }

    /** The earliest time of an index' next Pod, from the failures of this index. */
    Instant nextStart(int index) {
        return indexFailures.containsKey(index) ? failures(index).nextStart() : Instant.EPOCH;
    }

    /** Writes the failures of its index into a new Pod. */
    void note(ObjectNode pod, JsonNode job, int index) {
        if (limitsIndexes(job)) {
            failures(index).note(pod);
        }
    }

    static boolean isIndexed(JsonNode job) {
        return job.path("spec").path("completionMode").asText().equals("Indexed");
    }

    static boolean limitsIndexes(JsonNode job) {
        return job.path("spec").path("backoffLimitPerIndex").isNumber();
    }

    /** Whether a deleted Pod is replaced only after its end ({@code podReplacementPolicy: Failed}). */
    static boolean replacesFailedOnly(JsonNode job) {
        return job.path("spec").path("podReplacementPolicy").asText().equals("Failed");
    }

    /** The condition with which a Job has ended. */
    static Optional<JsonNode> end(JsonNode job) {
        return ConditionList.isTrue(job, "Complete")
                ? ConditionList.find(job, "Complete")
                : ConditionList.find(job, "Failed")
                        .filter(each -> each.path("status").asText().equals("True"));
    }
}
