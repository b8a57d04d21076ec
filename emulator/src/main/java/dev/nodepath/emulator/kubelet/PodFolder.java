package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The files of one Pod. Both folders have its uid in their names, so a later Pod of the same name has others.
 *
 * <pre>
 * pods/UID                                      scripts, volumes, and in "etc" what containers see in /etc
 * log/pods/NAMESPACE_NAME_UID/CONTAINER.log     as a kubelet names it
 * </pre>
 *
 * @param files of the containers
 * @param logs of the containers
 */
record PodFolder(Path files, Path logs) {
    private static final Duration DELETE_MAX = Duration.ofMinutes(10);

    /** The folders of a Pod below the cluster's. */
    static PodFolder of(Path clusterFolder, ObjectNode pod) {
        ObjectKey key = ObjectKey.of(pod);
        String uid = pod.path("metadata").path("uid").asText();
        return new PodFolder(
                clusterFolder.resolve("pods").resolve(uid),
                clusterFolder
                        .resolve("log")
                        .resolve("pods")
                        .resolve(String.join("_", key.namespace(), key.name(), uid)));
    }

    Path volumes() {
        return files.resolve("volumes");
    }

    /** The files that its containers see in /etc. */
    PodFiles etc() {
        return new PodFiles(files.resolve("etc"));
    }

    /** The folders of claims, which lie beside those of all Pods. */
    ClaimFolders claims() {
        return ClaimFolders.of(files.resolve("../..").normalize());
    }

    /** A folder for each container, apart from the Pod's other files: a container may have the name of one. */
    Path containers() {
        return files.resolve("containers");
    }

    /** The files of the Pod's pause process. */
    Path pause() {
        return files.resolve("pause");
    }

    /** The files of one container. */
    Path container(String name) {
        return containers().resolve(name);
    }

    /** The script that enters a container; it is written when the container starts. */
    Path entryScript(String container) {
        return container(container).resolve(EntryScript.NAME);
    }

    /** The log of a container's present run. */
    Path log(String container) {
        return logs.resolve(container + ".log");
    }

    /** Deletes both folders. Absent ones are no error. */
    void delete() throws IOException {
        MemoryFolder.removeBelow(files);
        delete(files);
        delete(logs);
    }

    /**
     * Deletes a folder and its contents with the program {@code rm}: it follows no link, not even one that a container
     * makes meanwhile, and handles any depth. An absent folder is no error.
     */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try {
            ShortCommand rm = ShortCommand.run(
                    new ProcessBuilder("rm", "-rf", "--one-file-system", "--", folder.toString())
                            .redirectErrorStream(true),
                    "",
                    DELETE_MAX);
            if (rm.exitCode() != 0) {
                throw new IOException(rm.output().strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(folder + ": stays, as the node ends", e);
        }
    }
}
