package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.EventRecorder;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodSpec;
import dev.nodepath.controllers.object.Trigger;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Makes the claims of generic ephemeral volumes (KEP-1698). Each claim belongs to its Pod and is deleted with it. Keys
 * are those of Pods; a key without name means all Pods of its namespace.
 */
public final class EphemeralClaims implements Controller {
    private static final String TEMPLATE = "volumeClaimTemplate";

    private final ClusterApi api;
    private final EventRecorder events;

    public EphemeralClaims(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.events = new EventRecorder(api, clock, "ephemeral_volume", "");
    }

    @Override
    public String name() {
        return "ephemeral-claims";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                new Trigger(
                        Resources.PODS,
                        event -> event.type() == ChangeEvent.Type.ADDED ? List.of(event.key()) : List.of()),
                new Trigger(Resources.PERSISTENT_VOLUME_CLAIMS, EphemeralClaims::awaited));
    }

    /** A Pod may wait until the claim of an earlier Pod is gone. */
    private static List<ObjectKey> awaited(ChangeEvent event) {
        return event.type() == ChangeEvent.Type.DELETED
                ? List.of(new ObjectKey(event.key().namespace(), ""))
                : List.of();
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        if (key.name().isEmpty()) {
            api.list(Resources.PODS, key.namespace()).objects().forEach(each -> queue.add(ObjectKey.of(each)));
            return;
        }
        Optional<ObjectNode> pod = api.find(Resources.PODS, key);
        if (pod.isEmpty() || Meta.isTerminating(pod.get())) {
            return;
        }
        for (JsonNode volume : pod.get().path("spec").path("volumes")) {
            JsonNode template = volume.path("ephemeral").path(TEMPLATE);
            if (!template.isMissingNode()) {
                make(pod.get(), volume.path("name").asText(), template);
            }
        }
    }

    private void make(ObjectNode pod, String volume, JsonNode template) {
        ObjectKey key = new ObjectKey(Meta.namespace(pod), PodSpec.ephemeralClaim(pod, volume));
        Optional<ObjectNode> present = api.find(Resources.PERSISTENT_VOLUME_CLAIMS, key);
        if (present.isEmpty()) {
            ObjectNode claim = JsonNodeFactory.instance.objectNode();
            ObjectNode metadata = claim.putObject("metadata")
                    .put("namespace", key.namespace())
                    .put("name", key.name());
            for (String field : List.of("labels", "annotations")) {
                if (template.path("metadata").has(field)) {
                    metadata.set(field, template.path("metadata").get(field).deepCopy());
                }
            }
            claim.set("spec", template.path("spec").deepCopy());
            Owners.control(claim, pod);
            api.create(Resources.PERSISTENT_VOLUME_CLAIMS, claim);
        } else if (!Owners.isControlledBy(present.get(), pod)) {
            events.warning(
                    pod, "FailedBinding", "ephemeral volume " + volume + ": " + PodSpec.foreignClaim(pod, key.name()));
        }
    }
}
