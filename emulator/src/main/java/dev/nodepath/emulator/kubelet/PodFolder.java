package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.Objects;

/**
 * The files of one Pod. Both folders have its uid in their names: a Pod of the same name has others.
 *
 * <pre>
 * pods/UID                                      scripts, volumes and what containers see in /etc
 * log/pods/NAMESPACE_NAME_UID/CONTAINER.log     as a kubelet names it
 * </pre>
 *
 * @param files of the containers
 * @param logs of the containers
 */
record PodFolder(Path files, Path logs) {

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

    /** The folders of claims, which lie beside those of all Pods. */
    ClaimFolders claims() {
        return ClaimFolders.of(files.resolve("../..").normalize());
    }

    /** A folder for each container; a container may have the name of another file of the Pod. */
    Path containers() {
        return files.resolve("containers");
    }

    /** For what the Pod's pause process needs. */
    Path pause() {
        return files.resolve("pause");
    }

    /** For what one container needs. */
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
     * Deletes a folder and what is in it. It follows no link, also none that a container puts there meanwhile. An absent
     * folder is no error.
     */
    static void delete(Path folder) throws IOException {
        try (DirectoryStream<Path> around = Files.newDirectoryStream(Objects.requireNonNull(folder.getParent()))) {
            delete((SecureDirectoryStream<Path>) around, folder.getFileName());
        } catch (DirectoryIteratorException e) {
            throw new IOException(folder + ": " + e.getMessage(), e);
        } catch (NoSuchFileException e) {
            // Nor is the folder around it there.
            return;
        }
    }

    private static void delete(SecureDirectoryStream<Path> around, Path name) throws IOException {
        try {
            if (!isFolder(around, name)) {
                around.deleteFile(name);
                return;
            }
            try (SecureDirectoryStream<Path> inside = around.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                for (Path each : inside) {
                    delete(inside, each.getFileName());
                }
            }
            around.deleteDirectory(name);
        } catch (NoSuchFileException e) {
            // Somebody else has deleted it.
            return;
        }
    }

    private static boolean isFolder(SecureDirectoryStream<Path> around, Path name) throws IOException {
        return around.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .isDirectory();
    }
}
