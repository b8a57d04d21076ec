package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control group of one run of a container: one folder in version 2, one for each controller in version 1. Where no
 * group can be made there is no folder.
 */
final class ControlGroup {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroup.class);
    private static final String MEMBERS = "cgroup.procs";
    private static final int PROCESSES_MAX = 1024;
    private static final int PERIOD_MICROS = 100_000;
    /** The least that the kernel takes. */
    private static final long QUOTA_MICROS_MIN = 1000;

    private static final Pattern KILLED = Pattern.compile("^oom_kill [1-9]", Pattern.MULTILINE);
    private static final int REMOVALS_MAX = 2000;
    private static final long LOOK_NANOS = 5_000_000;

    private final List<Path> folders;
    private final ContainerLimits limits;

    private ControlGroup(List<Path> folders, ContainerLimits limits) {
        this.folders = List.copyOf(folders);
        this.limits = limits;
    }

    /** None: what there is without groups. */
    static ControlGroup none(ContainerLimits limits) {
        return new ControlGroup(List.of(), limits);
    }

    /**
     * Makes one.
     *
     * @param parents the folder for new groups by controller; none if no group can be made
     * @throws IOException nothing is left then
     */
    static ControlGroup make(Map<String, Path> parents, String name, ContainerLimits limits) throws IOException {
        List<Path> folders = new ArrayList<>();
        ControlGroup group = new ControlGroup(
                parents.values().stream()
                        .distinct()
                        .map(parent -> parent.resolve(name))
                        .toList(),
                limits);
        try {
            for (Path folder : group.folders) {
                Files.createDirectory(folder);
                folders.add(folder);
            }
            group.limit();
            return group;
        } catch (IOException e) {
            folders.forEach(folder -> {
                boolean unused = removeEmpty(folder);
            });
            throw e;
        }
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
        if (limits.cpu().isPresent()) {
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
     * For the scripts of the container. Without a group: the data that a process may have in KiB, and the processes that
     * the PID namespace may have, each empty for any amount. Then files to which a process writes 0, so that it is a
     * member.
     */
    List<String> words() {
        List<String> words = new ArrayList<>();
        boolean alone = folders.isEmpty();
        words.add(
                alone && limits.memory().isPresent()
                        ? String.valueOf(Math.max(1, limits.memory().getAsLong() / 1024))
                        : "");
        words.add(alone && namespacesCountProcesses() ? String.valueOf(PROCESSES_MAX) : "");
        folders.forEach(folder -> words.add(folder.resolve(MEMBERS).toString()));
        return words;
    }

    /** Since 6.14 the limit of a PID namespace is its own; before, it would be the whole machine's. */
    private static boolean namespacesCountProcesses() {
        String[] version = System.getProperty("os.version", "").split("[^0-9]+", -1);
        int major = Integer.parseInt(version[0]);
        return major > 6 || (major == 6 && Integer.parseInt(version[1]) >= 14);
    }

    /** Its processes; empty if there is no group, or they cannot be read. */
    Optional<List<ProcessHandle>> processes() throws IOException {
        if (folders.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Files.readAllLines(folders.get(0).resolve(MEMBERS)).stream()
                .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)).stream())
                .toList());
    }

    /** Whether the kernel has killed a process of it for its use of memory. */
    boolean ranOutOfMemory() {
        return folders.stream()
                .flatMap(folder ->
                        Stream.of("memory.events", "memory.oom_control").map(folder::resolve))
                .anyMatch(ControlGroup::hasKilled);
    }

    private static boolean hasKilled(Path file) {
        try {
            return KILLED.matcher(Files.readString(file)).find();
        } catch (IOException e) {
            // The other version's.
            return false;
        }
    }

    /** The container has ended. Who entered it may take a moment to do so. */
    void remove() {
        for (Path folder : folders) {
            for (int time = 0; !removeEmpty(folder); time++) {
                if (time == REMOVALS_MAX) {
                    LOG.warn("container.group_left folder={}", folder);
                    break;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    /** Removes one without processes. Returns whether it is gone. */
    static boolean removeEmpty(Path folder) {
        try {
            Files.delete(folder);
            return true;
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
