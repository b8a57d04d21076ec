package dev.nodepath.agent.install;

import java.nio.file.Path;

/**
 * The folders of a node that a container runtime reads. Paths are the node's own; a process in a container finds them
 * below the folder where the node's file system is mounted.
 *
 * @param root where the node's file system is seen from here
 * @param install of the plugin's files, a folder for each version
 * @param bin the runtime's folder of plugins
 * @param conf the runtime's folder of networks
 */
public record HostFolders(Path root, Path install, Path bin, Path conf) {
    /** Checks that they are absolute. */
    public HostFolders {
        for (Path path : new Path[] {root, install, bin, conf}) {
            if (!path.isAbsolute()) {
                throw new IllegalArgumentException(path + " (expected: an absolute path)");
            }
        }
    }

    /** Whether this process sees the node's files at the node's own paths. */
    public boolean isOwn() {
        return root.normalize().equals(Path.of("/"));
    }

    /** The path under which this process sees a path of the node. */
    public Path here(Path onNode) {
        return root.resolve(Path.of("/").relativize(onNode)).normalize();
    }
}
