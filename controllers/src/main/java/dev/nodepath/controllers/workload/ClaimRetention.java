package dev.nodepath.controllers.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import java.util.Map;
import java.util.Optional;

/**
 * {@code persistentVolumeClaimRetentionPolicy} of a StatefulSet (KEP-1847): the owner of a claim decides when it is
 * deleted. The owner is the set, or the Pod that the set is about to remove for good. A claim that stays has no owner.
 */
final class ClaimRetention {
    private final ClusterApi api;

    ClaimRetention(ClusterApi api) {
        this.api = api;
    }

    /**
     * Gives the claims of these Pods their owners.
     *
     * @param pods by ordinal
     */
    void keep(JsonNode set, Map<Integer, ObjectNode> pods) {
        pods.forEach((ordinal, pod) -> {
            Optional<JsonNode> owner = owner(set, pod, ordinal);
            for (ObjectNode claim : StatefulPods.claims(set, ordinal)) {
                api.find(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim))
                        .ifPresent(present -> own(present, set, pod, owner));
            }
        });
    }

    /** Whether no new Pod may use a claim: it is being deleted, or belongs to an earlier Pod of this name. */
    static boolean goes(JsonNode claim, String pod) {
        return Meta.isTerminating(claim)
                || Owners.controller(claim, Resources.PODS)
                        .filter(owner -> owner.name().equals(pod))
                        .isPresent();
    }

    /** Whether the set deletes the claims of its Pods in this case: {@code whenScaled} or {@code whenDeleted}. */
    static boolean deletes(JsonNode set, String when) {
        return set.path("spec")
                .path("persistentVolumeClaimRetentionPolicy")
                .path(when)
                .asText()
                .equals("Delete");
    }

    private static Optional<JsonNode> owner(JsonNode set, JsonNode pod, int ordinal) {
        if (StatefulStep.isCondemned(set, ordinal) && deletes(set, "whenScaled")) {
            return Optional.of(pod);
        }
        return deletes(set, "whenDeleted") ? Optional.of(set) : Optional.empty();
    }

    /** Leaves a claim of another owner alone. */
    private void own(ObjectNode claim, JsonNode set, JsonNode pod, Optional<JsonNode> owner) {
        boolean ours = Owners.isControlledBy(claim, set) || Owners.isControlledBy(claim, pod);
        boolean done = owner.isPresent() ? Owners.isControlledBy(claim, owner.get()) : !ours;
        if (done || (!ours && Owners.controller(claim).isPresent())) {
            return;
        }
        api.modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim), "", copy -> {
            Owners.release(copy, Meta.uid(set));
            Owners.release(copy, Meta.uid(pod));
            owner.ifPresent(each -> Owners.control(copy, each));
            return copy;
        });
    }
}
