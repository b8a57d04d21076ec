package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import java.util.ArrayList;
import java.util.List;

/** Reads what a Pod's spec asks for. */
public final class PodSpec {
    private PodSpec() {}

    /** The containers that run as long as the Pod: its own, then its sidecars. Only they have ports. */
    public static List<JsonNode> lastingContainers(JsonNode pod) {
        List<JsonNode> containers = new ArrayList<>();
        pod.path("spec").path("containers").forEach(containers::add);
        pod.path("spec")
                .path("initContainers")
                .valueStream()
                .filter(PodSpec::isSidecar)
                .forEach(containers::add);
        return containers;
    }

    /** Whether one of the init containers runs as long as the Pod (KEP-753). */
    public static boolean isSidecar(JsonNode initContainer) {
        return initContainer.path("restartPolicy").asText("").equals("Always");
    }

    /** The PersistentVolumeClaims of its volumes. */
    public static List<ObjectKey> claims(JsonNode pod) {
        List<ObjectKey> claims = new ArrayList<>();
        for (JsonNode volume : pod.path("spec").path("volumes")) {
            JsonNode claim = volume.path("persistentVolumeClaim").path("claimName");
            if (claim.isTextual()) {
                claims.add(new ObjectKey(Meta.namespace(pod), claim.asText()));
            }
        }
        return claims;
    }
}
