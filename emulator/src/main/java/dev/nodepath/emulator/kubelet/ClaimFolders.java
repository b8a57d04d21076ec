package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.BoundVolume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folders of PersistentVolumes, which all nodes share. They are the cluster's own: what an object says of paths is
 * not followed.
 *
 * @param root the folder of them all
 */
public record ClaimFolders(Path root) {

    /** Those of a cluster. */
    public static ClaimFolders of(Path clusterFolder) {
        return new ClaimFolders(clusterFolder.resolve("volumes"));
    }

    /** The folder of a claim; it is made if it is not there. */
    Path of(ClusterApi api, ObjectNode pod, String claim) throws IOException, MissingReferenceException {
        ObjectKey key = new ObjectKey(ObjectKey.of(pod).namespace(), claim);
        ObjectNode found = api.find(Resources.PERSISTENT_VOLUME_CLAIMS, key)
                .orElseThrow(() -> new MissingReferenceException("persistentvolumeclaim \"" + claim + "\" not found"));
        String volume = BoundVolume.of(api, found)
                .orElseThrow(() -> new MissingReferenceException("PVC " + key + " is not bound"));
        return Files.createDirectories(folder(volume));
    }

    /** Deletes the folder of a volume. An absent one is no error. */
    public void delete(String volume) throws IOException {
        PodFolder.delete(folder(volume));
    }

    private Path folder(String volume) throws IOException {
        Path folder = root.resolve(volume).normalize();
        if (!root.equals(folder.getParent())) {
            throw new IOException("volume " + volume + ": no name of a folder");
        }
        return folder;
    }
}
