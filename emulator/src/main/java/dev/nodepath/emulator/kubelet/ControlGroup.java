package dev.nodepath.emulator.kubelet;

import dev.nodepath.agent.process.KernelVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control group of one run of a container: a folder in each hierarchy of groups where this user can make one. The
 * container's processes are in a group inside it. A process may become root of a user namespace and mount each
 * hierarchy from its own group on: it then sees no other groups, and the limits are above its own.
 */
final class ControlGroup {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroup.class);
    private static final String MEMBERS = "cgroup.procs";
    private static final String INSIDE = "inside";
    /** A new group of version 1 has none of these, and takes no process without them. */
    private static final List<String> PLACES = List.of("cpuset.cpus", "cpuset.mems");

    private static final int PROCESSES_MAX = 1024;
    /** Stacks of threads count as data, 8 MiB each. */
    private static final long STACKS_KIB = 256L * 1024;

    private static final int PERIOD_MICROS = 100_000;
    /** The kernel's minimum. */
    private static final long QUOTA_MICROS_MIN = 1000;

    private static final Pattern KILLED = Pattern.compile("^oom_kill [1-9]", Pattern.MULTILINE);
    private static final int REMOVALS_MAX = 2000;
    private static final long LOOK_NANOS = 5_000_000;

    private final List<Path> folders;
    private final ContainerLimits limits;
    private final boolean limiting;

    private ControlGroup(List<Path> folders, ContainerLimits limits, boolean limiting) {
        this.folders = List.copyOf(folders);
        this.limits = limits;
        this.limiting = limiting;
    }

    /**
     * Makes the group of a run.
     *
     * @param parents the folders for new groups
     * @param limiting whether the groups limit the container; else each process has its own limits
     * @throws IOException if it cannot be made; no part of it is left
     */
    static ControlGroup make(Set<Path> parents, String name, ContainerLimits limits, boolean limiting)
            throws IOException {
        ControlGroup group = new ControlGroup(
                parents.stream().map(parent -> parent.resolve(name)).toList(), limits, limiting);
        try {
            for (Path folder : group.folders) {
                create(folder);
            }
            if (limiting) {
                group.limit();
            }
            for (Path folder : group.folders) {
                create(folder.resolve(INSIDE));
            }
            return group;
        } catch (IOException e) {
            group.remove();
            throw e;
        }
    }

    private static void create(Path folder) throws IOException {
        Files.createDirectory(folder);
        if (!takesProcesses(folder)) {
            throw new IOException(folder + ": no control group");
        }
        for (String file : PLACES) {
            Path above = folder.resolveSibling(file);
            Path own = folder.resolve(file);
            if (Files.exists(above) && Files.exists(own)) {
                Files.write(own, Files.readAllBytes(above));
            }
        }
    }

    /**
     * Whether this user may move processes there: the kernel also checks the group around the old and the new one.
     */
    static boolean takesProcesses(Path folder) {
        return Files.isWritable(folder.resolve(MEMBERS));
    }

    private void limit() throws IOException {
        set("pids.max", String.valueOf(PROCESSES_MAX));
        if (limits.memory().isPresent()) {
            String octets = String.valueOf(limits.memory().getAsLong());
            set("memory.max", octets);
            set("memory.swap.max", "0");
            set("memory.oom.group", "1");
            set("memory.limit_in_bytes", octets);
            set("memory.memsw.limit_in_bytes", octets);
        }
        // The group above may have fewer processors, and the kernel refuses a higher limit.
        if (limits.cpu().isPresent()
                && limits.cpu().getAsLong() < 1000L * Runtime.getRuntime().availableProcessors()) {
            long quota = Math.max(limits.cpu().getAsLong() * PERIOD_MICROS / 1000, QUOTA_MICROS_MIN);
            set("cpu.max", quota + " " + PERIOD_MICROS);
            set("cpu.cfs_period_us", String.valueOf(PERIOD_MICROS));
            set("cpu.cfs_quota_us", String.valueOf(quota));
        }
    }

    /** Each version has its own files, and a kernel without swap has fewer. */
    private void set(String file, String value) throws IOException {
        for (Path folder : folders) {
            if (Files.exists(folder.resolve(file))) {
                Files.writeString(folder.resolve(file), value);
            }
        }
    }

    /**
     * Words for the container's scripts: the most data of a process in KiB, the most processes of the PID namespace,
     * and files. An empty word is no limit. A process becomes a member when it writes 0 to each file.
     */
    List<String> words() {
        List<String> words = new ArrayList<>();
        words.add(
                !limiting && limits.memory().isPresent()
                        ? String.valueOf(limits.memory().getAsLong() / 1024 + STACKS_KIB)
                        : "");
        words.add(
                !limiting && KernelVersion.ofThis().limitsProcessesOfNamespaces() ? String.valueOf(PROCESSES_MAX) : "");
        folders.forEach(
                folder -> words.add(folder.resolve(INSIDE).resolve(MEMBERS).toString()));
        return words;
    }

    /** Its processes; empty if there is no group, or if it cannot be read. */
    Optional<List<ProcessHandle>> processes() throws IOException {
        return folders.isEmpty() ? Optional.empty() : Optional.of(members(folders.get(0)));
    }

    private static List<ProcessHandle> members(Path folder) throws IOException {
        List<ProcessHandle> members = new ArrayList<>();
        for (Path group : innerFirst(folder)) {
            try {
                for (String pid : Files.readAllLines(group.resolve(MEMBERS))) {
                    ProcessHandle.of(Long.parseLong(pid)).ifPresent(members::add);
                }
            } catch (IOException e) {
                // The group is gone, or the container has made it a group of threads, which the group around it lists.
                if (group.equals(folder)) {
                    throw e;
                }
            }
        }
        return members;
    }

    /** A container may make groups inside its own. */
    private static List<Path> innerFirst(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isDirectory)
                    .sorted(Comparator.reverseOrder())
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Whether the kernel has killed one of its processes for its use of memory. */
    boolean ranOutOfMemory() {
        return folders.stream()
                .flatMap(folder ->
                        Stream.of("memory.events", "inside/memory.oom_control").map(folder::resolve))
                .anyMatch(ControlGroup::hasKilled);
    }

    private static boolean hasKilled(Path file) {
        try {
            return KILLED.matcher(Files.readString(file)).find();
        } catch (IOException e) {
            // The file belongs to the other version.
            return false;
        }
    }

    /**
     * Removes the group of an ended container. Processes that entered it end too, because those that wait for them
     * outside may have been stopped with the container.
     */
    void remove() {
        for (Path folder : folders) {
            for (int time = 0; !removeEmpty(folder); time++) {
                if (time == REMOVALS_MAX) {
                    LOG.atWarn().addKeyValue("folder", folder).log("container.group_left");
                    break;
                }
                kill(folder);
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    private static void kill(Path folder) {
        try {
            members(folder).forEach(ProcessHandle::destroyForcibly);
        } catch (IOException e) {
            LOG.atDebug()
                    .addKeyValue("folder", folder)
                    .addKeyValue("problem", e.getMessage())
                    .log("container.members_unknown");
        }
    }

    /** Removes a group without processes. Returns whether it is gone. */
    static boolean removeEmpty(Path folder) {
        try {
            for (Path group : innerFirst(folder)) {
                Files.delete(group);
            }
            return true;
        } catch (NoSuchFileException e) {
            return Files.notExists(folder);
        } catch (IOException e) {
            return false;
        }
    }
}
