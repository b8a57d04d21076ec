package dev.nodepath.controllers.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a Pod's spec. */
public final class PodSpec {
    private PodSpec() {}

    /** The containers that run as long as the Pod: the main ones, then the sidecars. Only they have ports. */
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
            claim(pod, volume).ifPresent(name -> claims.add(new ObjectKey(Meta.namespace(pod), name)));
        }
        return claims;
    }

    /** The name of a volume's PersistentVolumeClaim: the one that it refers to, or its own. */
    public static Optional<String> claim(JsonNode pod, JsonNode volume) {
        JsonNode named = volume.path("persistentVolumeClaim").path("claimName");
        if (named.isTextual()) {
            return Optional.of(named.asText());
        }
        return volume.path("ephemeral").has("volumeClaimTemplate")
                ? Optional.of(ephemeralClaim(pod, volume.path("name").asText()))
                : Optional.empty();
    }

    /** The name of the claim that is made for an ephemeral volume. */
    public static String ephemeralClaim(JsonNode pod, String volume) {
        return Meta.name(pod) + "-" + volume;
    }

    /** Whether one of a Pod's volumes uses this claim, and is allowed to. */
    public static boolean uses(JsonNode pod, JsonNode claim) {
        return pod.path("spec")
                .path("volumes")
                .valueStream()
                .anyMatch(volume ->
                        claim(pod, volume).filter(Meta.name(claim)::equals).isPresent()
                                && !isForeign(pod, volume, claim));
    }

    /** Whether the claim with the name of an ephemeral volume's claim belongs to another owner. */
    public static boolean isForeign(JsonNode pod, JsonNode volume, JsonNode claim) {
        return volume.has("ephemeral") && !Owners.isControlledBy(claim, pod);
    }

    /** The message about such a foreign claim, in Kubernetes' words. */
    public static String foreignClaim(JsonNode pod, String claim) {
        return "PVC " + Meta.namespace(pod) + "/" + claim + " was not created for pod " + Meta.namespace(pod) + "/"
                + Meta.name(pod) + " (pod is not owner)";
    }
}
