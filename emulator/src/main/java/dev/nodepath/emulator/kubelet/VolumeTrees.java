package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Parts of volumes, and volumes with others in them, for a container that starts. They are mounts in the cluster's
 * mount namespace until the container's own has copies of them. What lies in a volume is open when it is mounted, or
 * mounted to ({@link VolumePath}).
 */
final class VolumeTrees {
    private final Path folder;
    /** The tree that a container has at a path. */
    private final Map<Path, Path> trees = new HashMap<>();

    private int made;

    /**
     * Trees that are to be made.
     *
     * @param folder of the container alone
     */
    VolumeTrees(Path folder) {
        this.folder = folder;
    }

    /** Makes the tree of a mount, and returns its root. */
    Path add(PodVolumes.Mount mount) throws IOException {
        Path root = bind(mount);
        trees.put(Path.of(mount.path()), root);
        return root;
    }

    /** Mounts it in the tree around it. What it shows is read-only before it gets there, if it is to be. */
    void addInside(PodVolumes.Mount mount) throws IOException {
        Path path = Path.of(mount.path());
        Map.Entry<Path, Path> tree = trees.entrySet().stream()
                .filter(each -> path.startsWith(each.getKey()))
                .findFirst()
                .orElseThrow();
        Path source = bind(mount);
        if (mount.readOnly()) {
            mount(mount, source, source, Syscalls.MS_BIND | Syscalls.MS_REMOUNT | Syscalls.MS_RDONLY);
        }
        try (Descriptor target =
                VolumePath.open(tree.getValue(), tree.getKey().relativize(path), Files.isDirectory(source))) {
            mount(mount, source, target.path(), Syscalls.MS_BIND);
        }
    }

    private Path bind(PodVolumes.Mount mount) throws IOException {
        Path place = folder.resolve(String.valueOf(made++));
        try (Descriptor source = mount.open()) {
            Files.createDirectories(folder);
            Path unused = Files.isDirectory(source.path()) ? Files.createDirectory(place) : Files.createFile(place);
            mount(mount, source.path(), place, Syscalls.MS_BIND);
        }
        return place;
    }

    /** Removes them; the volumes stay as they are. Nothing happens if there are none. */
    static void remove(Path folder) throws IOException {
        String[] places = folder.toFile().list();
        for (String place : places == null ? List.<String>of() : List.of(places)) {
            MemoryFolder.remove(folder.resolve(place));
            Files.deleteIfExists(folder.resolve(place));
        }
        Files.deleteIfExists(folder);
    }

    private static void mount(PodVolumes.Mount mount, Path source, Path target, int flags) throws LinuxNetException {
        int unused = Syscalls.orThrow(
                "mountPath: " + mount.path(), Syscalls.load().mount(source.toString(), target.toString(), flags));
    }
}
