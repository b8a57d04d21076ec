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
 * Parts of volumes, and volumes with other volumes inside, for a starting container. They are mounts in the cluster's
 * mount namespace until the container's own has copies of them. A place in a volume is opened before it is mounted, or
 * mounted on ({@link VolumePath}).
 */
final class VolumeTrees {
    private final Path folder;
    /** The tree for each path of the container. */
    private final Map<Path, Path> trees = new HashMap<>();

    private int made;

    /**
     * Has no trees yet.
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

    /** Mounts it in the tree around it. A read-only mount is made read-only before it gets there. */
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
            if (Files.isDirectory(source.path())) {
                Files.createDirectory(place);
            } else {
                Files.createFile(place);
            }
            mount(mount, source.path(), place, Syscalls.MS_BIND);
        }
        return place;
    }

    /** Removes them; the volumes stay as they are. Does nothing without trees. */
    static void remove(Path folder) throws IOException {
        String[] places = folder.toFile().list();
        for (String place : places == null ? List.<String>of() : List.of(places)) {
            MemoryFolder.remove(folder.resolve(place));
            Files.deleteIfExists(folder.resolve(place));
        }
        Files.deleteIfExists(folder);
    }

    private static void mount(PodVolumes.Mount mount, Path source, Path target, int flags) throws LinuxNetException {
        Syscalls.orThrow(
                "mountPath: " + mount.path(), Syscalls.load().mount(source.toString(), target.toString(), flags));
    }
}
