package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.Optional;

/** The PersistentVolume of a bound claim. */
public final class BoundVolume {
    private BoundVolume() {}

    /**
     * Its name. Empty unless the volume refers back to the claim: a user can write any name into a claim.
     *
     * @param claim a PersistentVolumeClaim
     */
    public static Optional<String> of(ClusterApi api, JsonNode claim) {
        String name = claim.path("spec").path("volumeName").asText("");
        return api.find(Resources.PERSISTENT_VOLUMES, new ObjectKey("", name))
                .filter(volume -> volume.path("spec")
                        .path("claimRef")
                        .path("uid")
                        .asText("")
                        .equals(Meta.uid(claim)))
                .map(volume -> name);
    }
}
