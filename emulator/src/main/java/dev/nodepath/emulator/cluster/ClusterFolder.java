package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.kubelet.NodeFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a cluster in the enclosure's own file system: the kubeconfig, a folder for each node, and logs.
 */
final class ClusterFolder {
    private final Path root;

    private ClusterFolder(Path root) {
        this.root = root;
    }

    /** Makes the folders. */
    static ClusterFolder create(Path root) throws IOException {
        ClusterFolder folder = new ClusterFolder(root);
        Files.createDirectories(root.resolve("log"));
        return folder;
    }

    /** The folder itself. */
    Path root() {
        return root;
    }

    /** How agents and kubectl reach the API server. */
    Path kubeconfig() {
        return root.resolve("kubeconfig");
    }

    /** The files of a node: its agent's socket, the network's configuration, the addresses in use. */
    NodeFolder node(String node) {
        return new NodeFolder(root.resolve("nodes").resolve(node));
    }

    Path log(String process) {
        return root.resolve("log").resolve(process + ".log");
    }
}
