package dev.nodepath.emulator.kubelet;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Where paths of a container lead: to the machine's files, to folders of the container's own, or into volumes. */
final class ContainerPaths {
    static final Path ROOT = Path.of("/");

    /** A container needs these folders, or files in them. */
    private static final List<Path> NEEDED = needed();

    /** Variables that name a folder of the user alone. */
    private static final List<String> OF_USER = List.of("HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME");

    /** The folders of a container that are never the machine's. */
    static final Set<Path> OWN = own(System.getenv());

    private static final Comparator<PodVolumes.Mount> OUTER_FIRST =
            Comparator.comparingInt(mount -> Path.of(mount.path()).getNameCount());

    private ContainerPaths() {}

    /** The folders that {@link #own} must not take away. */
    private static List<Path> needed() {
        List<Path> needed = new ArrayList<>();
        for (String folder : List.of("/etc", "/tmp", "/var", "/usr/lib", "/usr/share", "/lib", "/lib64")) {
            needed.add(Path.of(folder));
        }
        for (String folder : PodEnvironment.PATH.split(File.pathSeparator, -1)) {
            needed.add(Path.of(folder));
        }
        return needed;
    }

    /**
     * The folders that a container does not share with the machine: a person's home, and the places of the user's
     * clusters. A home with programs in it, such as {@code /} or {@code /bin}, is no person's.
     */
    static Set<Path> own(Map<String, String> environment) {
        Set<Path> own = new TreeSet<>();
        for (String path : List.of("/proc", "/sys", "/dev", "/run", "/root", "/home")) {
            own.add(Path.of(path));
        }
        List<Path> hidden = new ArrayList<>(List.of(Path.of("/home")));
        OF_USER.forEach(variable -> folder(environment, variable).ifPresent(hidden::add));
        // The folder of one cluster; other clusters are beside it.
        folder(environment, "NODEPATH_FOLDER").ifPresent(folder -> hidden.add(parent(folder)));
        for (Path each : hidden) {
            real(each)
                    .filter(real -> NEEDED.stream().noneMatch(needed -> needed.startsWith(real)))
                    .ifPresent(own::add);
        }
        return own;
    }

    private static Optional<Path> folder(Map<String, String> environment, String variable) {
        try {
            return Optional.of(Path.of(environment.getOrDefault(variable, "")));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** The path of a folder without links; empty if there is no folder. */
    private static Optional<Path> real(Path folder) {
        try {
            return folder.isAbsolute() ? Optional.of(folder.toRealPath()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether a path of the container is not the machine's. */
    static boolean isOwn(Path path) {
        return OWN.stream().anyMatch(path::startsWith);
    }

    /** The mounts at the container's paths without links: outer ones first, and only the last one of a path. */
    static List<PodVolumes.Mount> placed(List<PodVolumes.Mount> mounts) throws IOException {
        List<PodVolumes.Mount> ordered = mounts.stream()
                .map(mount -> mount.at(Path.of(mount.path()).normalize()))
                .sorted(OUTER_FIRST)
                .toList();
        Map<Path, PodVolumes.Mount> placed = new LinkedHashMap<>();
        Map<PodVolumes.Mount, Path> targets = new LinkedHashMap<>();
        for (PodVolumes.Mount mount : ordered) {
            Path target = target(Path.of(mount.path()));
            for (Map.Entry<PodVolumes.Mount, Path> around : targets.entrySet()) {
                if (around.getKey().isAround(mount)) {
                    target = around.getValue()
                            .resolve(Path.of(around.getKey().path()).relativize(Path.of(mount.path())));
                }
            }
            targets.put(mount, target);
            placed.remove(target);
            placed.put(target, mount.at(target));
        }
        return placed.values().stream().sorted(OUTER_FIRST).toList();
    }

    /** Follows the machine's links in a path, except those in folders that are the container's own. */
    static Path target(Path path) throws IOException {
        Path target = ROOT;
        for (Path name : path) {
            Path next = target.resolve(name);
            target = isOwn(target) || !Files.exists(next) ? next : next.toRealPath();
        }
        return target;
    }

    static Path parent(Path path) {
        Path parent = path.getParent();
        return parent == null ? ROOT : parent;
    }
}
