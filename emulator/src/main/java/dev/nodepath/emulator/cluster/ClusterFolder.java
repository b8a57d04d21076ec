package dev.nodepath.emulator.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a cluster in the enclosure's own file system: manifests, a folder for each node, logs, and a name for
 * each pod's and node's network namespace.
 */
final class ClusterFolder {
    private final Path root;

    private ClusterFolder(Path root) {
        this.root = root;
    }

    /** Makes the folders. */
    static ClusterFolder create(Path root) throws IOException {
        ClusterFolder folder = new ClusterFolder(root);
        Files.createDirectories(folder.manifests());
        Files.createDirectories(root.resolve("log"));
        Files.createDirectories(root.resolve("ns"));
        return folder;
    }

    /** The folder itself. */
    Path root() {
        return root;
    }

    /** The manifests that the agents watch. */
    Path manifests() {
        return root.resolve("manifests");
    }

    /** The files of a node: its agent's socket, the network's configuration, the addresses in use. */
    NodeFolder node(String node) {
        return new NodeFolder(root.resolve("nodes").resolve(node));
    }

    /** The log of a process. */
    Path log(String process) {
        return root.resolve("log").resolve(process + ".log");
    }

    /** Names the namespace of a pod or node for {@code nodepath exec}. */
    void nameNamespace(String name, Path namespaceFile) throws IOException {
        Files.createSymbolicLink(root.resolve("ns").resolve(name), namespaceFile);
    }

    /** Removes the name. */
    void forgetNamespace(String name) throws IOException {
        Files.deleteIfExists(root.resolve("ns").resolve(name));
    }
}
