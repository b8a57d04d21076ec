package dev.nodepath.emulator.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a cluster keeps its files, in the enclosure's own file system: what the agents watch, what is each node's own, logs,
 * and a name for the network namespace of each pod and node.
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

    /** What is a node's own: its agent's socket, the network's configuration, the addresses in use. */
    NodeFolder node(String node) {
        return new NodeFolder(root.resolve("nodes").resolve(node));
    }

    /** The log of a process. */
    Path log(String process) {
        return root.resolve("log").resolve(process + ".log");
    }

    /** Gives a pod or node the name by which {@code nodepath exec} finds its namespace. */
    void nameNamespace(String name, Path namespaceFile) throws IOException {
        Files.createSymbolicLink(root.resolve("ns").resolve(name), namespaceFile);
    }

    /** Takes the name back. */
    void forgetNamespace(String name) throws IOException {
        Files.deleteIfExists(root.resolve("ns").resolve(name));
    }
}
