package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Parts of volumes, and volumes with others in them, put together for one run of a container: mounts in the cluster's
 * mount namespace, each from and to what is open ({@link VolumePath}).
 */
final class VolumeTrees {
    private final Path folder;
    /** The tree that a container has at a path. */
    private final Map<Path, Path> trees = new HashMap<>();

    /** Trees that are to be made in a folder of the container. */
    VolumeTrees(Path folder) {
        this.folder = folder;
    }

    /** Makes the tree of a mount, and returns its root. */
    Path add(PodVolumes.Mount mount) throws IOException {
        Path root = folder.resolve(String.valueOf(trees.size()));
        try (Descriptor source = mount.open()) {
            Files.createDirectories(folder);
            Path unused = Files.isDirectory(source.path()) ? Files.createDirectory(root) : Files.createFile(root);
            mount(source, root, Syscalls.MS_BIND);
        }
        trees.put(Path.of(mount.path()), root);
        return root;
    }

    /** Mounts it in the tree around it. */
    void addInside(PodVolumes.Mount mount) throws IOException {
        Path path = Path.of(mount.path());
        Map.Entry<Path, Path> tree = trees.entrySet().stream()
                .filter(each -> path.startsWith(each.getKey()))
                .findFirst()
                .orElseThrow();
        Path root = tree.getValue();
        Path part = tree.getKey().relativize(path);
        try (Descriptor source = mount.open();
                Descriptor target = VolumePath.open(root, part, Files.isDirectory(source.path()))) {
            mount(source, target.path(), Syscalls.MS_BIND);
        }
        if (mount.readOnly()) {
            try (Descriptor mounted = VolumePath.open(root, part, true)) {
                mount(mounted, mounted.path(), Syscalls.MS_BIND | Syscalls.MS_REMOUNT | Syscalls.MS_RDONLY);
            }
        }
    }

    /** Removes all of a run that has ended; what they show stays. */
    static void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (DirectoryStream<Path> roots = Files.newDirectoryStream(folder)) {
            for (Path root : roots) {
                MemoryFolder.remove(root);
                Files.delete(root);
            }
        }
    }

    private static void mount(Descriptor source, Path target, int flags) throws IOException {
        int unused = Syscalls.orThrow(
                "mount " + target, Syscalls.load().mount(source.path().toString(), target.toString(), flags));
    }
}
