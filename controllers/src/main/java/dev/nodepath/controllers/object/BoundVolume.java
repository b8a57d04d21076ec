package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.Optional;

/** The PersistentVolume that a claim is bound to. */
public final class BoundVolume {
    private BoundVolume() {}

    /**
     * Its name. Empty unless the volume says that it is the claim's: a user can write any name into a claim.
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
