package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Writes the scripts of a container: one makes the container and becomes its process 1, the other runs a command in
 * it. The container has PID and mount namespaces of its own, its own root ({@link ContainerRoot}), and only its own
 * environment. {@link PodPause} has the rest.
 *
 * <p>The scripts are the same for every container. Values of a manifest are data beside them, and no shell reads them
 * as text.
 */
final class EntryScript {
    /** The script's name in its folder. */
    static final String NAME = "enter";

    private static final String START = "start";
    private static final String SET_UP = "set-up";
    private static final String MAKE_ROOT = "make-root";
    private static final String HOST = "enter-host";
    private static final String PID = "pid";
    private static final String MOUNT_NAMESPACE = "mount-namespace";

    /**
     * The capabilities of a container runtime, and those that change the Pod's own network. None is for devices,
     * mounts, tracing or settings of the machine.
     */
    private static final String CAPABILITIES =
            "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap"
                    + ",+net_bind_service,+net_raw,+net_admin,+sys_chroot,+audit_write,+setfcap";

    /** Allows a process to wake a sleeping machine; no container has it, and it does no harm. */
    private static final String GUARD = "wake_alarm";

    private final Path folder;
    private final PodPause pause;
    private final List<PodVolumes.Mount> mounts;
    private final ContainerLimits limits;
    private final Optional<ProcessHandle> target;
    private Path inside = Path.of("/");

    /**
     * A script to be written.
     *
     * @param folder the folder of this container alone
     * @param mounts the Pod's own files, then the volumes
     * @param target process 1 of another container that shares its processes with this one
     */
    EntryScript(
            Path folder,
            PodPause pause,
            List<PodVolumes.Mount> mounts,
            ContainerLimits limits,
            Optional<ProcessHandle> target) {
        this.target = target;
        this.folder = folder;
        this.pause = pause;
        this.mounts = List.copyOf(mounts);
        this.limits = limits;
    }

    /**
     * Writes a script that only enters a network namespace, for a host.
     *
     * @param network a link to the namespace, which this makes: {@code ../networks/NAME} beside the script
     */
    static void writeForHost(Path file, Path network, Path namespace) throws IOException {
        Files.createDirectories(network.getParent());
        link(network, namespace);
        Files.createDirectories(file.getParent());
        write(HOST, file);
    }

    /** Writes it for a new run of the container, and returns its path. */
    Path write(Map<String, String> environment, String workingDir) throws IOException {
        Files.createDirectories(folder);
        Files.deleteIfExists(folder.resolve(PID));
        inside = Path.of("/").resolve(workingDir).normalize();
        Words.write(
                folder.resolve("names"),
                List.of(inside.toString(), CAPABILITIES, GUARD, sharesProcesses() ? MOUNT_NAMESPACE : ""));
        List<String> variables = new ArrayList<>();
        environment.forEach((name, value) -> variables.add(name + "=" + value));
        Words.write(folder.resolve("variables"), variables);
        write(START, folder.resolve(START));
        write(SET_UP, folder.resolve(SET_UP));
        write(MAKE_ROOT, folder.resolve(MAKE_ROOT));
        Path enter = folder.resolve(NAME);
        write(NAME, enter);
        return enter;
    }

    /**
     * Makes the container's root. Returns the command that starts it: in the end the container's process 1 becomes the
     * given command. If the starting process is killed, the container ends too.
     */
    List<String> start(List<String> command, ControlGroup group) throws IOException {
        return start(command, group, Overlays.areHere());
    }

    /** As above, with overlays or without. */
    List<String> start(List<String> command, ControlGroup group, boolean layered) throws IOException {
        Words.write(folder.resolve("limits"), group.words());
        List<String> start;
        // After the pause process has been stopped no container is made, and none is in the making.
        synchronized (pause) {
            start = new ArrayList<>(pause.container(target));
            ContainerRoot.write(folder, mounts, pause.sharedMemory(), inside, layered);
        }
        // The machine's root in the cluster's mount namespace, which the container's own root does not replace.
        start.addAll(
                List.of("nsenter", "--root=/proc/" + ProcessHandle.current().pid() + "/root", "--wd=/", "--"));
        start.add(folder.resolve(START).toString());
        start.addAll(command);
        return start;
    }

    Path folder() {
        return folder;
    }

    ContainerLimits limits() {
        return limits;
    }

    boolean sharesProcesses() {
        return pause.sharesProcesses() || target.isPresent();
    }

    /** The container is being started: a process that enters it waits until it is made. */
    static void expectProcessOne(Path folder) throws IOException {
        Files.writeString(folder.resolve(PID), "");
    }

    /** The number of a container's process 1 here; empty until the container is made. */
    static Optional<ProcessHandle> processOne(Path folder) {
        try {
            String pid = Files.readString(folder.resolve(PID)).strip();
            return pid.isEmpty() ? Optional.empty() : ProcessHandle.of(Long.parseLong(pid));
        } catch (IOException | NumberFormatException e) {
            // It is not made yet.
            return Optional.empty();
        }
    }

    /** Whether the container runs, or is being made. */
    static boolean canEnter(Path folder) {
        return Files.exists(folder.resolve(PID)) || Files.exists(StandIn.wanted(folder));
    }

    /** The container has ended: no process can enter it, and its files are gone. */
    static void forgetProcessOne(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(PID));
        ContainerRoot.remove(folder);
    }

    /** The processes of a container that shares them with others: those in its mount namespace. */
    static List<ProcessHandle> processes(Path folder) throws IOException {
        Path namespace =
                Path.of(Files.readString(folder.resolve(MOUNT_NAMESPACE)).strip());
        return ProcessHandle.allProcesses()
                .filter(process -> isIn(namespace, process))
                .toList();
    }

    private static boolean isIn(Path namespace, ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", String.valueOf(process.pid()), "ns", "mnt"))
                    .equals(namespace);
        } catch (IOException e) {
            // It has ended.
            return false;
        }
    }

    /** A script of this package. An existing script is the same, and may be running. */
    static void write(String script, Path file) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        try (InputStream content = Objects.requireNonNull(EntryScript.class.getResourceAsStream(script), script)) {
            Files.copy(content, file);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static void link(Path link, Path target) throws IOException {
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, target);
    }
}
