package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.BoundVolume;
import dev.nodepath.controllers.object.Meta;
import java.util.Optional;

/** Whether a Pod's PersistentVolumeClaims let it run. The reasons are in the words of kube-scheduler. */
final class ClaimFilter {
    private final ClusterApi api;

    ClaimFilter(ClusterApi api) {
        this.api = api;
    }

    /** Why a Pod has to wait; empty if all its claims are bound. */
    Optional<String> refusal(JsonNode pod) {
        for (JsonNode volume : pod.path("spec").path("volumes")) {
            JsonNode name = volume.path("persistentVolumeClaim").path("claimName");
            if (name.isTextual()) {
                Optional<String> refusal = refusal(new ObjectKey(Meta.namespace(pod), name.asText()));
                if (refusal.isPresent()) {
                    return refusal;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> refusal(ObjectKey key) {
        Optional<ObjectNode> claim = api.find(Resources.PERSISTENT_VOLUME_CLAIMS, key);
        if (claim.isEmpty()) {
            return Optional.of("persistentvolumeclaim \"" + key.name() + "\" not found");
        }
        if (Meta.isTerminating(claim.get())) {
            return Optional.of("persistentvolumeclaim \"" + key.name() + "\" is being deleted");
        }
        return BoundVolume.of(api, claim.get()).isEmpty()
                ? Optional.of("pod has unbound immediate PersistentVolumeClaims")
                : Optional.empty();
    }
}
