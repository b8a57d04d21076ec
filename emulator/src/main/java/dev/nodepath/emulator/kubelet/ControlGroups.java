package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The places where this user may make control groups for containers (cgroups(7)): in the kernel's one hierarchy of
 * version 2, and in the hierarchies of version 1. Not every hierarchy has a controller that limits. In the others a
 * group only keeps a container away from the machine's groups: a user without the right to make a group cannot write
 * to the hierarchy either.
 *
 * <p>A group's name has the time of its start. A group of a cluster that was killed is empty; a later cluster removes
 * it.
 */
public final class ControlGroups {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroups.class);
    private static final List<String> CONTROLLERS = List.of("memory", "pids", "cpu");
    private static final Pattern NAME = Pattern.compile("nodepath-(\\d{1,12})-.*");

    /** A younger group without processes may still be in the making. */
    private static final Duration EMPTY_MAX = Duration.ofMinutes(10);

    private ControlGroups() {}

    /** Looked for once. */
    private static final class Found {
        static final Set<Path> PARENTS = new HashSet<>();
        static final boolean LIMITING = find(PARENTS);
    }

    /** Whether groups can limit memory, processes and processor time here. */
    public static boolean areHere() {
        return Found.LIMITING;
    }

    /** The group for a run of a container, or a substitute if none can be made. */
    static ControlGroup make(ContainerLimits limits) throws IOException {
        return ControlGroup.make(Found.PARENTS, name(), limits, Found.LIMITING);
    }

    private static String name() {
        return "nodepath-" + Instant.now().getEpochSecond() + "-" + UUID.randomUUID();
    }

    /** Adds the folders for new groups. Returns whether all controllers are there. */
    private static boolean find(Set<Path> parents) {
        Set<String> found = new HashSet<>();
        try {
            Map<String, String> own = own();
            for (Map.Entry<String, Mounts.Mount> each : Mounts.read().entrySet()) {
                Path root = Path.of(each.getKey());
                for (String tree : trees(each.getValue(), own.keySet())) {
                    boolean delegated = tree.isEmpty() && delegates(root);
                    Path parent = delegated ? root : below(root, own.getOrDefault(tree, "/"));
                    // A hierarchy may be mounted more than once, and several controllers together.
                    if (!found.contains(tree) && (parents.contains(parent) || works(parent))) {
                        parents.add(parent);
                        found.add(tree);
                        found.addAll(delegated ? CONTROLLERS : List.of());
                    }
                }
            }
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("problem", e.toString()).log("control_groups.none");
        }
        return found.containsAll(CONTROLLERS);
    }

    /**
     * The hierarchies of a mount by their names in /proc/self/cgroup: the empty name for version 2, controllers or
     * another name for version 1.
     */
    private static List<String> trees(Mounts.Mount mount, Set<String> names) {
        return switch (mount.type()) {
            case "cgroup2" -> List.of("");
            case "cgroup" -> mount.options().stream().filter(names::contains).toList();
            default -> List.of();
        };
    }

    private static boolean works(Path parent) {
        try {
            sweep(parent, Instant.now().minus(EMPTY_MAX));
            ControlGroup.make(Set.of(parent), name(), ContainerLimits.NONE, false)
                    .remove();
            return ControlGroup.takesProcesses(parent);
        } catch (IOException e) {
            LOG.atDebug()
                    .addKeyValue("parent", parent)
                    .addKeyValue("problem", e.toString())
                    .log("control_groups.none");
            return false;
        }
    }

    /** The group of this process in each hierarchy. */
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

    /** A mount may show only a part of the hierarchy. */
    private static Path below(Path root, String group) {
        Path folder = root.resolve(group.substring(1));
        return Files.isDirectory(folder) ? folder : root;
    }

    /**
     * Whether groups below this group of version 2 have the controllers. The kernel refuses them below a group with
     * processes, except at the root. So this process's own group is never asked.
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
            // It is another user's, or has processes.
            return false;
        }
    }

    /** Removes groups without processes that were made before this time. */
    static void sweep(Path parent, Instant before) throws IOException {
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, "nodepath-*")) {
            for (Path group : groups) {
                Matcher name = NAME.matcher(String.valueOf(group.getFileName()));
                if (name.matches() && Long.parseLong(name.group(1)) < before.getEpochSecond()) {
                    ControlGroup.removeEmpty(group);
                }
            }
        }
    }
}
