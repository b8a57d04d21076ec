package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where this user may make control groups for containers (cgroups(7)): in the kernel's one tree of version 2, or in a
 * tree for each controller of version 1.
 *
 * <p>A group's name has the time of its start. A group of a cluster that was killed is empty; a later cluster removes
 * it.
 */
public final class ControlGroups {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroups.class);
    private static final List<String> CONTROLLERS = List.of("memory", "pids", "cpu");
    private static final Pattern NAME = Pattern.compile("nodepath-(\\d{1,12})-.*");

    /** A younger group without processes may be one that is just being made. */
    private static final Duration EMPTY_MAX = Duration.ofMinutes(10);

    private ControlGroups() {}

    /** Looked for once. */
    private static final class Found {
        static final Set<Path> PARENTS = find();
    }

    /** Whether there are any: for memory, processes and processor time. */
    public static boolean areHere() {
        return !Found.PARENTS.isEmpty();
    }

    /** A group for a run of a container, or what stands for it where none can be made. */
    static ControlGroup make(ContainerLimits limits) throws IOException {
        return ControlGroup.make(Found.PARENTS, name(), limits);
    }

    private static String name() {
        return "nodepath-" + Instant.now().getEpochSecond() + "-" + UUID.randomUUID();
    }

    private static Set<Path> find() {
        try {
            Map<String, Path> byController = parents();
            if (!byController.keySet().containsAll(CONTROLLERS)) {
                return Set.of();
            }
            Set<Path> parents = Set.copyOf(byController.values());
            for (Path parent : parents) {
                sweep(parent, Instant.now().minus(EMPTY_MAX));
            }
            ControlGroup.make(parents, name(), ContainerLimits.NONE).remove();
            return parents;
        } catch (IOException e) {
            LOG.debug("control_groups.none problem=\"{}\"", e.toString());
            return Set.of();
        }
    }

    /** The folder for new groups by controller. */
    private static Map<String, Path> parents() throws IOException {
        Map<String, String> own = own();
        Map<String, Path> parents = new HashMap<>();
        for (Map.Entry<String, Mounts.Mount> each : Mounts.read().entrySet()) {
            Mounts.Mount mount = each.getValue();
            if (mount.type().equals("cgroup2")) {
                Path root = Path.of(each.getKey());
                if (delegates(root)) {
                    CONTROLLERS.forEach(controller -> parents.putIfAbsent(controller, root));
                }
            } else if (mount.type().equals("cgroup")) {
                Path root = Path.of(each.getKey());
                CONTROLLERS.stream()
                        .filter(mount.options()::contains)
                        .forEach(controller ->
                                parents.putIfAbsent(controller, below(root, own.getOrDefault(controller, "/"))));
            }
        }
        return parents;
    }

    /** The group of this process in the trees of version 1, by controller. */
    private static Map<String, String> own() throws IOException {
        Map<String, String> own = new HashMap<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
            String[] fields = line.split(":", 3);
            for (String controller : fields[1].split(",", -1)) {
                own.put(controller, fields[2]);
            }
        }
        return own;
    }

    /** A mount may show only a part of the tree. */
    private static Path below(Path root, String group) {
        Path folder = root.resolve(group.substring(1));
        return Files.isDirectory(folder) ? folder : root;
    }

    /**
     * Whether groups below this one of version 2 have the controllers. The kernel refuses them below a group with
     * processes, but for the root. So the own group of this process is never asked.
     */
    private static boolean delegates(Path folder) {
        try {
            List<String> there = List.of(Files.readString(folder.resolve("cgroup.controllers"))
                    .strip()
                    .split(" ", -1));
            if (!there.containsAll(CONTROLLERS)) {
                return false;
            }
            Files.writeString(folder.resolve("cgroup.subtree_control"), "+" + String.join(" +", CONTROLLERS));
            return true;
        } catch (IOException e) {
            // Another user's, or one with processes.
            return false;
        }
    }

    /** Removes groups without processes that were made before this time. */
    static void sweep(Path parent, Instant before) throws IOException {
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, "nodepath-*")) {
            for (Path group : groups) {
                Matcher name = NAME.matcher(String.valueOf(group.getFileName()));
                if (name.matches() && Long.parseLong(name.group(1)) < before.getEpochSecond()) {
                    boolean unused = ControlGroup.removeEmpty(group);
                }
            }
        }
    }
}
