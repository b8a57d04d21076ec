package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.BoundVolume;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodSpec;
import java.util.Optional;

/** Decides whether a Pod's PersistentVolumeClaims let it run. The reasons are in the words of kube-scheduler. */
final class ClaimFilter {
    private final ClusterApi api;

    ClaimFilter(ClusterApi api) {
        this.api = api;
    }

    /** Why a Pod has to wait; empty if all its claims are bound. */
    Optional<String> refusal(JsonNode pod) {
        for (JsonNode volume : pod.path("spec").path("volumes")) {
            Optional<String> refusal = PodSpec.claim(pod, volume)
                    .flatMap(name -> refusal(pod, volume, new ObjectKey(Meta.namespace(pod), name)));
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    private Optional<String> refusal(JsonNode pod, JsonNode volume, ObjectKey key) {
        Optional<ObjectNode> claim = api.find(Resources.PERSISTENT_VOLUME_CLAIMS, key);
        if (claim.isEmpty() && volume.has("ephemeral")) {
            return Optional.of("waiting for ephemeral volume controller to create the persistentvolumeclaim \""
                    + key.name() + "\"");
        }
        if (claim.filter(each -> PodSpec.isForeign(pod, volume, each)).isPresent()) {
            return Optional.of(PodSpec.foreignClaim(pod, key.name()));
        }
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
