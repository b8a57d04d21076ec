package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.controllers.object.ReplicaLimit;

/**
 * How far the number of Pods may differ from a Deployment's replicas during a rollout.
 *
 * @param replicas asked for
 * @param surge the most additional Pods
 * @param unavailable the most missing replicas
 */
record RolloutLimits(int replicas, int surge, int unavailable) {

    static RolloutLimits of(JsonNode deployment) {
        int replicas = ReplicaSetController.replicas(deployment);
        JsonNode strategy = deployment.path("spec").path("strategy");
        if (isRecreate(deployment)) {
            return new RolloutLimits(replicas, 0, replicas);
        }
        JsonNode rolling = strategy.path("rollingUpdate");
        int surge = ReplicaLimit.roundedUp(rolling.path("maxSurge"), replicas, "25%");
        int unavailable = ReplicaLimit.roundedDown(rolling.path("maxUnavailable"), replicas, "25%");
        if (surge == 0 && unavailable == 0) {
            unavailable = 1; // else nothing could ever move
        }
        return new RolloutLimits(replicas, surge, Math.min(unavailable, replicas));
    }

    static boolean isRecreate(JsonNode deployment) {
        return deployment.path("spec").path("strategy").path("type").asText("").equals("Recreate");
    }

    int podsMax() {
        return replicas + surge;
    }

    int availableMin() {
        return replicas - unavailable;
    }
}
