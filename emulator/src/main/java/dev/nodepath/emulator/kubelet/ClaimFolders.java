package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.validation.Quantities;
import dev.nodepath.controllers.object.BoundVolume;
import dev.nodepath.controllers.object.PodSpec;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folders of PersistentVolumes, which all nodes share. They are the cluster's own: paths in objects are ignored.
 *
 * @param root the folder of them all
 */
public record ClaimFolders(Path root) {
    /** Two Pods may want one claim at once. */
    private static final Object MAKING = new Object();

    /** The folders of a cluster. */
    public static ClaimFolders of(Path clusterFolder) {
        return new ClaimFolders(clusterFolder.resolve("volumes"));
    }

    /**
     * The folder of a claim. An absent folder is made: in memory, with its capacity, at most 1 GiB. Call it only in an
     * enclosure: it mounts the folder.
     *
     * @param volume the Pod's volume that refers to the claim
     * @throws MissingReferenceException if the claim is absent, unbound or another owner's; in a kubelet's words
     */
    Path of(ClusterApi api, ObjectNode pod, JsonNode volume, String claim)
            throws IOException, MissingReferenceException {
        ObjectKey key = new ObjectKey(ObjectKey.of(pod).namespace(), claim);
        ObjectNode found = api.find(Resources.PERSISTENT_VOLUME_CLAIMS, key)
                .orElseThrow(() -> new MissingReferenceException("persistentvolumeclaim \"" + claim + "\" not found"));
        String bound = BoundVolume.of(api, found)
                .orElseThrow(() -> new MissingReferenceException("PVC " + key + " is not bound"));
        if (PodSpec.isForeign(pod, volume, found)) {
            throw new MissingReferenceException(PodSpec.foreignClaim(pod, claim));
        }
        Path folder = folder(bound);
        synchronized (MAKING) {
            if (!Files.exists(folder)) {
                BigDecimal capacity = capacity(api.get(Resources.PERSISTENT_VOLUMES, new ObjectKey("", bound)));
                try {
                    MemoryFolder.make(folder, "mode=777," + MemoryFolder.size(capacity));
                } catch (IOException e) {
                    Files.deleteIfExists(folder);
                    throw e;
                }
            }
        }
        return folder;
    }

    private static BigDecimal capacity(ObjectNode volume) {
        return Quantities.parse(volume.at("/spec/capacity/storage").asText(""))
                .filter(size -> size.signum() > 0)
                .orElse(MemoryFolder.BYTES_MAX)
                .min(MemoryFolder.BYTES_MAX);
    }

    /** Deletes the folder of a volume. An absent one is no error. */
    public void delete(String volume) throws IOException {
        Path folder = folder(volume);
        synchronized (MAKING) {
            MemoryFolder.remove(folder);
            PodFolder.delete(folder);
        }
    }

    private Path folder(String volume) throws IOException {
        Path folder = root.resolve(volume).normalize();
        if (!root.equals(folder.getParent())) {
            throw new IOException("volume " + volume + ": no name of a folder");
        }
        return folder;
    }
}
