package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.controllers.object.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Writes a Deployment's status from those of its ReplicaSets. Reasons and messages are Kubernetes'; kubectl reads
 * them.
 */
final class DeploymentStatus {
    private static final String PROGRESSING = "Progressing";
    private static final String AVAILABLE_SET = "NewReplicaSetAvailable";
    private static final int DEADLINE_SECONDS = 600;

    private final ObjectNode deployment;
    private final Instant now;

    /**
     * Begins a status.
     *
     * @param deployment a copy, which is changed
     */
    DeploymentStatus(ObjectNode deployment, Instant now) {
        this.deployment = deployment;
        this.now = now;
    }

    /** Writes the numbers, and the conditions that depend on them. */
    void update(Collection<? extends JsonNode> sets, Optional<? extends JsonNode> newest) {
        ObjectNode before =
                deployment.path("status").isObject() ? deployment.path("status").deepCopy() : deployment.objectNode();
        ObjectNode status = deployment.withObjectProperty("status");
        int replicas = sum(sets, set -> count(set, "replicas"));
        int available = sum(sets, set -> count(set, "availableReplicas"));
        status.put("observedGeneration", Meta.generation(deployment));
        PodCounts.put(status, "replicas", replicas);
        PodCounts.put(
                status,
                "updatedReplicas",
                newest.map(set -> count(set, "replicas")).orElse(0));
        PodCounts.put(status, "readyReplicas", sum(sets, set -> count(set, "readyReplicas")));
        PodCounts.put(status, "availableReplicas", available);
        PodCounts.put(status, "terminatingReplicas", sum(sets, set -> count(set, "terminatingReplicas")));
        // Until the sets have seen their new sizes, replicas that are yet to be created are missing too.
        int asked = sum(sets, ReplicaSetController::replicas);
        PodCounts.put(status, "unavailableReplicas", Math.max(0, Math.max(asked, replicas) - available));
        setAvailable(available);
        setProgress(status, before, newest);
        setFailure(sets);
    }

    /** Notes a rollout's step. */
    void progress(String reason, String message) {
        setProgressing("True", reason, message, true);
    }

    /** Notes that a rollout is paused, or resumed. */
    void setPaused(boolean paused) {
        String reason = progressReason();
        if (paused && !reason.equals("DeploymentPaused") && !reason.equals("ProgressDeadlineExceeded")) {
            setProgressing("Unknown", "DeploymentPaused", "Deployment is paused", true);
        } else if (!paused && reason.equals("DeploymentPaused")) {
            setProgressing("Unknown", "DeploymentResumed", "Deployment is resumed", true);
        }
    }

    /** The time at which the rollout will be late; empty if it is done, paused or has no deadline. */
    Optional<Instant> deadline() {
        long seconds = deployment.path("spec").path("progressDeadlineSeconds").asLong(DEADLINE_SECONDS);
        if (seconds == Integer.MAX_VALUE || progressReason().equals(AVAILABLE_SET) || isPaused(deployment)) {
            return Optional.empty();
        }
        return ConditionList.find(deployment, PROGRESSING)
                .flatMap(each -> Meta.time(each.path("lastUpdateTime")))
                .map(since -> since.plus(Duration.ofSeconds(seconds)));
    }

    /** Whether every replica is of the newest template and available. */
    static boolean isComplete(JsonNode deployment) {
        JsonNode status = deployment.path("status");
        int replicas = ReplicaSetController.replicas(deployment);
        return status.path("updatedReplicas").asInt(0) == replicas
                && status.path("replicas").asInt(0) == replicas
                && status.path("availableReplicas").asInt(0) == replicas
                && status.path("observedGeneration").asLong(0) >= Meta.generation(deployment);
    }

    static boolean isPaused(JsonNode deployment) {
        return deployment.path("spec").path("paused").asBoolean(false);
    }

    private void setAvailable(int available) {
        boolean enough = available >= RolloutLimits.of(deployment).availableMin();
        set(
                "Available",
                enough ? "True" : "False",
                enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                enough ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
                false);
    }

    private void setProgress(ObjectNode status, ObjectNode before, Optional<? extends JsonNode> newest) {
        boolean settled = progressReason().equals(AVAILABLE_SET)
                && status.path("replicas").asInt(0)
                        == status.path("updatedReplicas").asInt(0);
        if (settled || isPaused(deployment)) {
            return;
        }
        String what = newest.map(set -> "ReplicaSet \"" + Meta.name(set) + "\"")
                .orElse("Deployment \"" + Meta.name(deployment) + "\"");
        if (newest.isPresent() && isComplete(deployment)) {
            setProgressing("True", AVAILABLE_SET, what + " has successfully progressed.", false);
        } else if (hasMoved(status, before)) {
            setProgressing("True", "ReplicaSetUpdated", what + " is progressing.", true);
        } else if (deadline().filter(late -> late.isBefore(now)).isPresent()) {
            setProgressing("False", "ProgressDeadlineExceeded", what + " has timed out progressing.", false);
        }
    }

    private static boolean hasMoved(JsonNode status, JsonNode before) {
        int old = before.path("replicas").asInt(0)
                - before.path("updatedReplicas").asInt(0);
        return isMore("updatedReplicas", status, before)
                || isMore("readyReplicas", status, before)
                || isMore("availableReplicas", status, before)
                || status.path("replicas").asInt(0)
                                - status.path("updatedReplicas").asInt(0)
                        < old;
    }

    private static boolean isMore(String field, JsonNode status, JsonNode before) {
        return status.path(field).asInt(0) > before.path(field).asInt(0);
    }

    private void setFailure(Collection<? extends JsonNode> sets) {
        Optional<JsonNode> failure = sets.stream()
                .flatMap(set -> ConditionList.find(set, "ReplicaFailure").stream())
                .findFirst();
        if (failure.isPresent()) {
            String reason = failure.get().path("reason").asText();
            set("ReplicaFailure", "True", reason, failure.get().path("message").asText(), false);
        } else if (ConditionList.find(deployment, "ReplicaFailure").isPresent()) {
            ConditionList.remove(deployment, "ReplicaFailure");
        }
    }

    private String progressReason() {
        return ConditionList.find(deployment, PROGRESSING)
                .map(each -> each.path("reason").asText(""))
                .orElse("");
    }

    private void setProgressing(String status, String reason, String message, boolean touch) {
        set(PROGRESSING, status, reason, message, touch);
    }

    /** Conditions of Deployments have the time of their last update too. */
    private void set(String type, String status, String reason, String message, boolean touch) {
        Optional<JsonNode> before = ConditionList.find(deployment, type);
        boolean same = before.filter(each -> each.path("status").asText("").equals(status)
                        && each.path("reason").asText("").equals(reason))
                .isPresent();
        ObjectNode condition = ConditionList.set(deployment, type, status, reason, message, now);
        if (!same || touch) {
            condition.put("lastUpdateTime", Meta.seconds(now));
        }
    }

    private static int sum(Collection<? extends JsonNode> sets, ToIntFunction<? super JsonNode> count) {
        return sets.stream().mapToInt(count).sum();
    }

    private static int count(JsonNode set, String field) {
        return set.path("status").path(field).asInt(0);
    }
}
