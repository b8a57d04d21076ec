package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.apiserver.validation.Quantities;
import dev.nodepath.controllers.object.Meta;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Chooses a PersistentVolume for a claim (Kubernetes, "Persistent Volumes", section "Binding"). */
final class VolumeChoice {
    private static final String FILESYSTEM = "Filesystem";

    private VolumeChoice() {}

    /** A volume that is reserved for this claim, else the smallest fitting one; empty if none fits. */
    static Optional<ObjectNode> of(JsonNode claim, Collection<ObjectNode> volumes) {
        return volumes.stream()
                .filter(volume -> !Meta.isTerminating(volume) && isFree(volume, claim) && fits(volume, claim))
                .min(Comparator.comparing((ObjectNode volume) -> !isReserved(volume))
                        .thenComparing(volume -> storage(volume.path("spec").path("capacity")))
                        .thenComparing(Meta::name));
    }

    /** Whether a volume is reserved for a claim, or bound to it. */
    static boolean isReserved(JsonNode volume) {
        return volume.path("spec").has("claimRef");
    }

    private static boolean isFree(JsonNode volume, JsonNode claim) {
        JsonNode reserved = volume.path("spec").path("claimRef");
        String uid = reserved.path("uid").asText("");
        return !isReserved(volume)
                || (reserved.path("namespace").asText().equals(Meta.namespace(claim))
                        && reserved.path("name").asText().equals(Meta.name(claim))
                        && (uid.isEmpty() || uid.equals(Meta.uid(claim))));
    }

    /** An explicit name in claim and volume counts more than classes and labels. */
    private static boolean fits(JsonNode volume, JsonNode claim) {
        JsonNode has = volume.path("spec");
        JsonNode wants = claim.path("spec");
        String name = wants.path("volumeName").asText("");
        return (name.isEmpty() || name.equals(Meta.name(volume)))
                && (isReserved(volume) || text(has, "storageClassName", "").equals(text(wants, "storageClassName", "")))
                && text(has, "volumeMode", FILESYSTEM).equals(text(wants, "volumeMode", FILESYSTEM))
                && texts(has.path("accessModes")).containsAll(texts(wants.path("accessModes")))
                && storage(has.path("capacity"))
                                .compareTo(storage(wants.path("resources").path("requests")))
                        >= 0
                && (isReserved(volume)
                        || !name.isEmpty()
                        || !wants.has("selector")
                        || SelectorMatch.matches(wants.path("selector"), Meta.labels(volume)));
    }

    private static BigDecimal storage(JsonNode amounts) {
        return Quantities.parse(amounts.path("storage").asText("")).orElse(BigDecimal.ZERO);
    }

    private static String text(JsonNode object, String field, String otherwise) {
        return object.path(field).asText(otherwise);
    }

    private static Set<String> texts(JsonNode array) {
        Set<String> texts = new HashSet<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }
}
