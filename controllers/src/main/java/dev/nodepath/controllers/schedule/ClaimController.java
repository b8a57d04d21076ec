package dev.nodepath.controllers.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.rules.StandardStorage;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.BoundVolume;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.EventRecorder;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodSpec;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.controllers.object.Trigger;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Binds PersistentVolumeClaims, and tells why other claims stay pending. Keys are those of claims; a key without name
 * means all claims.
 */
public final class ClaimController implements Controller {
    private static final String FINALIZER = "kubernetes.io/pvc-protection";
    private static final String AVAILABLE = "Available";
    private static final String BOUND = "Bound";
    private static final ObjectKey ALL = new ObjectKey("", "");

    private final ClusterApi api;
    private final EventRecorder events;

    public ClaimController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.events = new EventRecorder(api, clock, "persistentvolume-controller", "");
    }

    @Override
    public String name() {
        return "claim";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                Trigger.each(Resources.PERSISTENT_VOLUME_CLAIMS),
                Trigger.any(Resources.STORAGE_CLASSES, ALL),
                new Trigger(Resources.PERSISTENT_VOLUMES, ClaimController::concerned),
                new Trigger(Resources.PODS, ClaimController::usedUntilNow));
    }

    /** Any claim may want a free volume. A bound or released volume concerns only its claim. */
    private static List<ObjectKey> concerned(ChangeEvent event) {
        List<ObjectKey> keys = new ArrayList<>();
        if (event.type() != ChangeEvent.Type.DELETED && isFree(event.object())) {
            keys.add(ALL);
        }
        Stream.concat(event.before().stream(), Stream.of(event.object()))
                .map(volume -> volume.path("spec").path("claimRef"))
                .filter(claim -> claim.has("name"))
                .map(claim -> new ObjectKey(
                        claim.path("namespace").asText(), claim.path("name").asText()))
                .forEach(keys::add);
        return keys;
    }

    /** Whether a volume is unbound; it may be reserved for a claim. */
    private static boolean isFree(JsonNode volume) {
        return volume.path("spec").path("claimRef").path("uid").asText("").isEmpty();
    }

    /** The claims of an ended Pod: a deleted claim among them may go now. */
    private static List<ObjectKey> usedUntilNow(ChangeEvent event) {
        boolean over = event.type() == ChangeEvent.Type.DELETED || PodState.isFinished(event.object());
        return over ? PodSpec.claims(event.object()) : List.of();
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        if (key.equals(ALL)) {
            volumes().stream()
                    .filter(volume -> isFree(volume) && !phase(volume).equals(AVAILABLE))
                    .forEach(volume -> setPhase(volume, AVAILABLE));
            api.list(Resources.PERSISTENT_VOLUME_CLAIMS, "").objects().forEach(each -> queue.add(ObjectKey.of(each)));
            return;
        }
        Optional<ObjectNode> claim = api.find(Resources.PERSISTENT_VOLUME_CLAIMS, key);
        release(key, claim.map(Meta::uid).orElse(""));
        if (claim.isEmpty()) {
            return;
        }
        if (Meta.isTerminating(claim.get())) {
            endUnlessUsed(claim.get());
        } else if (!phase(claim.get()).equals(BOUND)) {
            bind(protect(claim.get()));
        } else if (BoundVolume.of(api, claim.get()).isEmpty()) {
            lose(claim.get());
        }
    }

    private void lose(ObjectNode claim) {
        api.modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim), "status", copy -> {
            copy.withObjectProperty("status").put("phase", "Lost");
            return copy;
        });
        events.warning(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
    }

    private static String phase(JsonNode object) {
        return object.path("status").path("phase").asText("");
    }

    private List<ObjectNode> volumes() {
        return api.list(Resources.PERSISTENT_VOLUMES, "").objects();
    }

    private void setPhase(ObjectNode volume, String phase) {
        api.modify(Resources.PERSISTENT_VOLUMES, ObjectKey.of(volume), "status", copy -> {
            copy.withObjectProperty("status").put("phase", phase);
            return copy;
        });
    }

    /** A claim that a Pod uses is deleted after the Pod. */
    private ObjectNode protect(ObjectNode claim) {
        return api.modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim), "", copy -> {
            if (!Meta.hasFinalizer(copy, FINALIZER)) {
                copy.withObjectProperty("metadata")
                        .withArrayProperty("finalizers")
                        .add(FINALIZER);
            }
            if (!copy.path("spec").has("storageClassName")) {
                standardClass()
                        .ifPresent(name -> copy.withObjectProperty("spec").put("storageClassName", name));
            }
            return copy;
        });
    }

    private Optional<String> standardClass() {
        return api.list(Resources.STORAGE_CLASSES, "").objects().stream()
                .filter(each -> Meta.annotation(each, StandardStorage.DEFAULT).equals("true"))
                .map(Meta::name)
                .findFirst();
    }

    /** A Pod without a Node does not use the claim yet, and is not scheduled while the claim is being deleted. */
    private void endUnlessUsed(ObjectNode claim) {
        boolean used = api.list(Resources.PODS, Meta.namespace(claim)).objects().stream()
                .anyMatch(
                        pod -> !PodState.isFinished(pod) && !PodState.node(pod).isEmpty() && PodSpec.uses(pod, claim));
        if (!used) {
            api.modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim), "", copy -> {
                Meta.removeFinalizer(copy, FINALIZER);
                return copy;
            });
        }
    }

    private void bind(ObjectNode claim) {
        Optional<ObjectNode> volume = VolumeChoice.of(claim, volumes());
        if (volume.isPresent()) {
            bind(claim, volume.get());
        } else if (claim.path("spec").path("volumeName").asText("").isEmpty()) {
            provision(claim);
        } else {
            refuse(claim, claim.path("spec").path("volumeName").asText());
        }
    }

    /** The claim names a volume that is absent, or that it must not have. */
    private void refuse(ObjectNode claim, String name) {
        api.find(Resources.PERSISTENT_VOLUMES, new ObjectKey("", name)).ifPresent(volume -> {
            if (isFree(volume) && !VolumeChoice.isReserved(volume)) {
                events.warning(
                        claim,
                        "VolumeMismatch",
                        "Cannot bind to requested volume \"" + name
                                + "\": its class, mode, access modes or size differ");
            } else {
                events.warning(claim, "FailedBinding", "volume \"" + name + "\" already bound to a different claim.");
            }
        });
    }

    /** The volume is written first: a reader that finds its name in a claim then finds the claim in the volume. */
    private void bind(ObjectNode claim, ObjectNode volume) {
        api.modify(Resources.PERSISTENT_VOLUMES, ObjectKey.of(volume), "", copy -> {
            reserve(copy, claim);
            return copy;
        });
        setPhase(volume, BOUND);
        ObjectNode named = api.modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim), "", copy -> {
            copy.withObjectProperty("spec").put("volumeName", Meta.name(volume));
            Meta.annotate(copy, "pv.kubernetes.io/bind-completed", "yes");
            Meta.annotate(copy, "pv.kubernetes.io/bound-by-controller", "yes");
            return copy;
        });
        api.modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(named), "status", copy -> {
            ObjectNode status = copy.withObjectProperty("status").put("phase", BOUND);
            status.set("accessModes", volume.path("spec").path("accessModes"));
            status.set("capacity", volume.path("spec").path("capacity"));
            return copy;
        });
    }

    private void provision(ObjectNode claim) {
        String name = claim.path("spec").path("storageClassName").asText("");
        if (name.isEmpty()) {
            events.normal(
                    claim,
                    "FailedBinding",
                    "no persistent volumes available for this claim and no storage class is set");
            return;
        }
        if (claim.path("spec").has("selector")) {
            events.warning(
                    claim,
                    "ProvisioningFailed",
                    "failed to provision volume with StorageClass \"" + name
                            + "\": claim.Spec.Selector is not supported");
            return;
        }
        Optional<ObjectNode> storage = api.find(Resources.STORAGE_CLASSES, new ObjectKey("", name));
        if (storage.isEmpty()) {
            events.warning(claim, "ProvisioningFailed", "storageclass.storage.k8s.io \"" + name + "\" not found");
            return;
        }
        String provisioner = storage.get().path("provisioner").asText();
        if (!provisioner.equals(StandardStorage.PROVISIONER)) {
            events.normal(
                    claim,
                    "ExternalProvisioning",
                    "Waiting for a volume to be created either by the external provisioner '" + provisioner
                            + "' or manually by the system administrator. If volume creation is delayed, please verify"
                            + " that the provisioner is running and correctly registered.");
            return;
        }
        provision(claim, storage.get());
    }

    private void provision(ObjectNode claim, JsonNode storage) {
        String name = "pvc-" + Meta.uid(claim);
        if (api.find(Resources.PERSISTENT_VOLUMES, new ObjectKey("", name)).isPresent()) {
            // Another client has changed the volume, or deletes it.
            return;
        }
        ObjectNode volume = api.create(Resources.PERSISTENT_VOLUMES, volume(claim, storage, name));
        api.modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim), "", copy -> {
            Meta.annotate(copy, "volume.kubernetes.io/storage-provisioner", StandardStorage.PROVISIONER);
            return copy;
        });
        events.normal(claim, "ProvisioningSucceeded", "Successfully provisioned volume " + Meta.name(volume));
        bind(claim, volume);
    }

    private static ObjectNode volume(JsonNode claim, JsonNode storage, String name) {
        ObjectNode volume = JsonNodeFactory.instance.objectNode();
        volume.putObject("metadata").put("name", name);
        Meta.annotate(volume, "pv.kubernetes.io/provisioned-by", StandardStorage.PROVISIONER);
        JsonNode wanted = claim.path("spec");
        ObjectNode spec = volume.putObject("spec");
        spec.putObject("capacity")
                .set("storage", wanted.path("resources").path("requests").path("storage"));
        spec.set("accessModes", wanted.path("accessModes"));
        spec.put("volumeMode", wanted.path("volumeMode").asText("Filesystem"))
                .put("storageClassName", Meta.name(storage))
                .put(
                        "persistentVolumeReclaimPolicy",
                        storage.path("reclaimPolicy").asText("Delete"));
        spec.putObject("hostPath")
                .put("path", StandardStorage.FOLDER + "/" + name)
                .put("type", "DirectoryOrCreate");
        reserve(volume, claim);
        return volume;
    }

    private static void reserve(ObjectNode volume, JsonNode claim) {
        volume.withObjectProperty("spec")
                .putObject("claimRef")
                .put("apiVersion", "v1")
                .put("kind", "PersistentVolumeClaim")
                .put("namespace", Meta.namespace(claim))
                .put("name", Meta.name(claim))
                .put("uid", Meta.uid(claim));
    }

    /**
     * Deletes the volumes of lost claims, or keeps them as released ones.
     *
     * @param uid of the present claim with this name; empty if there is none
     */
    private void release(ObjectKey claim, String uid) {
        for (ObjectNode volume : volumes()) {
            JsonNode of = volume.path("spec").path("claimRef");
            if (!of.path("name").asText().equals(claim.name())
                    || !of.path("namespace").asText().equals(claim.namespace())
                    || of.path("uid").asText("").isEmpty()
                    || of.path("uid").asText().equals(uid)) {
                continue;
            }
            if (volume.path("spec")
                    .path("persistentVolumeReclaimPolicy")
                    .asText()
                    .equals("Delete")) {
                api.delete(Resources.PERSISTENT_VOLUMES, ObjectKey.of(volume), Deletion.DEFAULT);
            } else {
                setPhase(volume, "Released");
            }
        }
    }
}
