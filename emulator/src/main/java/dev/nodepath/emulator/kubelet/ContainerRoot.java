package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container's root, and the mount table for the script that makes it. Each folder of the machine is the lower layer
 * of an overlay. The container's own layer in memory has the files that it writes, and those that only it has:
 *
 * <pre>
 * layer          a file system of its own, which is empty at each start
 *   root         the root: links, mount points, and the folders that are the container's own
 *   upper/N      the upper layer of the N-th overlay
 *   work/N       the kernel's own
 *   own/N        an empty folder over a folder of the machine that no container sees
 *   words/NAME   the container's copy of the file for its last words
 * mounts         a table for {@code mount --all}, in its order
 * trees/N        volumes that are not mounted as they are
 * </pre>
 *
 * <p>Without overlays the machine's folders are read-only, and programs write to the layer. A file that vanishes while
 * the root is made is left out ({@code nofail}).
 *
 * <p>There is an overlay for each folder, not one for all: for an ordinary user the kernel takes no lower layer
 * with mounts in it.
 */
final class ContainerRoot {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerRoot.class);

    private static final Path ROOT = ContainerPaths.ROOT;
    private static final String MODE = "unix:mode";
    /** Folders of the machine that programs write to; in a container without overlays they are empty folders. */
    private static final Set<Path> WRITTEN = Set.of(
            Path.of("/mnt"),
            Path.of("/tmp"),
            Path.of("/var/cache"),
            Path.of("/var/lib"),
            Path.of("/var/log"),
            Path.of("/var/spool"),
            Path.of("/var/tmp"));

    /** A container without overlays has a copy of it. */
    private static final Path SETTINGS = Path.of("/etc");

    private static final List<String> DEVICES = List.of("null", "zero", "full", "random", "urandom", "tty");
    /** File systems that no overlay takes as its lower layer; a container sees an empty folder. */
    private static final Set<String> NO_LOWER = Set.of("vfat", "msdos", "exfat", "autofs");

    /** What shows the machine itself, such as /proc in a chroot; a container sees an empty folder, and has its own. */
    private static final Set<String> KERNEL_TYPES =
            Set.of("proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "devpts");

    /** Parts of /proc that are the whole machine's. */
    private static final List<String> MACHINE = List.of("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi");

    private static final Set<String> KEPT =
            Set.of("nosuid", "nodev", "noexec", "noatime", "nodiratime", "relatime", "strictatime");

    private static final String LIMITS = "mode=755,size=512m";
    private static final String SHARED_MEMORY = "/dev/shm";
    private static final String TREES = "trees";
    private static final String NOT_A_FOLDER = "not a directory";
    /** No mount point can be made below them. */
    private static final List<Path> KERNEL = List.of(Path.of("/sys"), Path.of("/dev/pts"));

    private final Path layer;
    private final Path sharedMemory;
    /** Mount points of this machine. */
    private final NavigableMap<String, Mounts.Mount> mounted = Mounts.read();

    /** The folders with an overlay, and their upper layers. */
    private final Map<Path, Path> overlays = new LinkedHashMap<>();

    /** The container's own folders over some of those, and their mounts. */
    private final Map<Path, Path> hidden = new LinkedHashMap<>();

    private final MountTable table = new MountTable();

    private final boolean layered;
    /** Without overlays: the places of own files in the layer. */
    private final TreeSet<String> ownPlaces = new TreeSet<>();

    private ContainerRoot(Path folder, Path sharedMemory, boolean layered) throws IOException {
        this.layer = layer(folder);
        this.sharedMemory = sharedMemory;
        this.layered = layered;
    }

    private static Path layer(Path folder) {
        return folder.resolve("layer");
    }

    /** Removes an ended container's files, except its volumes and its last words. */
    static void remove(Path folder) throws IOException {
        try {
            TerminationMessage.keep(words(layer(folder)), folder);
        } finally {
            MemoryFolder.remove(layer(folder));
            removeTrees(folder);
        }
    }

    private static Path words(Path layer) {
        return layer.resolve("words");
    }

    /** Whether there are trees to remove once the container's root is made. */
    static boolean hasTrees(Path folder) {
        return Files.exists(folder.resolve(TREES));
    }

    /** Call it when the container's mount namespace has copies of them, or is not made at all. */
    static void removeTrees(Path folder) throws IOException {
        VolumeTrees.remove(folder.resolve(TREES));
    }

    /**
     * Makes the layer anew, and writes the table.
     *
     * @param folder of the container
     * @param mounts the Pod's own files, then the volumes; outer paths come first, and the last mount of a path counts
     * @param sharedMemory of its Pod
     * @param workingDir made if it is absent
     * @param layered whether the machine's folders have overlays; else they are read-only, except where programs write
     */
    static void write(Path folder, List<PodVolumes.Mount> mounts, Path sharedMemory, Path workingDir, boolean layered)
            throws IOException {
        ContainerRoot root = new ContainerRoot(folder, sharedMemory, layered);
        List<PodVolumes.Mount> all = new ArrayList<>();
        if (mounts.stream().allMatch(mount -> mount.hasPlace(SHARED_MEMORY))) {
            all.add(PodVolumes.Mount.of(sharedMemory, SHARED_MEMORY, false));
        }
        all.addAll(mounts);
        List<PodVolumes.Mount> placed = ContainerPaths.placed(all);
        if (!layered) {
            WRITTEN.forEach(path -> root.ownPlaces.add(path.toString()));
            placed.forEach(mount -> root.addOwnPlace(Path.of(mount.path())));
            root.addOwnPlace(workingDir);
        }
        removeTrees(folder);
        MemoryFolder.make(root.layer, LIMITS);
        Files.createDirectory(root.layer.resolve("root"));
        root.mount(root.inRoot(ROOT).toString(), ROOT, "none", "bind");
        root.addMachine(ROOT);
        root.hideOwn();
        root.addOwn();
        root.addVolumes(root.limited(placed, TerminationMessage.file(folder)), new VolumeTrees(folder.resolve(TREES)));
        root.place("workingDir", ContainerPaths.target(workingDir), true);
        root.table.write(folder.resolve("mounts"));
    }

    /** The file system of the last words has no limit for one container, so the container writes to a copy. */
    private List<PodVolumes.Mount> limited(List<PodVolumes.Mount> mounts, Path lastWords) throws IOException {
        Path words = Files.createDirectory(words(layer));
        List<PodVolumes.Mount> limited = new ArrayList<>();
        for (PodVolumes.Mount mount : mounts) {
            limited.add(
                    mount.source().equals(lastWords)
                            ? PodVolumes.Mount.of(
                                    Files.copy(lastWords, words.resolve(lastWords.getFileName())), mount.path(), false)
                            : mount);
        }
        return limited;
    }

    private void addOwnPlace(Path path) {
        if (!Files.exists(path)) {
            ownPlaces.add(path.toString());
        }
    }

    /** Files that this user cannot read, or that vanish meanwhile, are left out. */
    private void addMachine(Path folder) throws IOException {
        if (!Files.isReadable(folder)) {
            return;
        }
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                addChild(child, inLayer(child));
            }
        }
    }

    private void addChild(Path child, Path made) throws IOException {
        try {
            if (Files.isSymbolicLink(child)) {
                Files.createSymbolicLink(made, Files.readSymbolicLink(child));
            } else if (ContainerPaths.OWN.contains(child)) {
                Files.createDirectory(made);
            } else if (Files.isDirectory(child)) {
                addFolder(child, made);
            } else if (Files.isRegularFile(child)
                    && !ContainerPaths.parent(child).equals(ROOT)) {
                Files.createFile(made);
                mountReadOnly(child);
            }
        } catch (NoSuchFileException e) {
            LOG.atDebug().addKeyValue("path", child).log("container.root_left_out");
        }
    }

    private void addFolder(Path folder, Path made) throws IOException {
        like(folder, made);
        if (isMounted(folder, KERNEL_TYPES)) {
            return;
        }
        if (hasBelow(mounted.navigableKeySet(), folder) || hasBelow(ownPlaces, folder)) {
            addMachine(folder);
        } else if (!layered && !WRITTEN.contains(folder)) {
            if (folder.equals(SETTINGS)) {
                copy(folder, made);
            } else {
                mountReadOnly(folder);
            }
        } else if (layered && takesOverlay(folder)) {
            String number = String.valueOf(overlays.size());
            Path upper = layer.resolve("upper").resolve(number);
            Path work = layer.resolve("work").resolve(number);
            Files.createDirectories(layer.resolve("upper"));
            like(folder, upper);
            Files.createDirectories(work);
            if (!Overlays.areOfAllUsers()) {
                Overlays.takeFolders(folder, upper);
            }
            overlays.put(folder, upper);
            mount("overlay", folder, "overlay", "nodev,nofail," + Overlays.options(folder, upper, work));
        }
    }

    private boolean takesOverlay(Path folder) {
        return folder.toString().indexOf(',') < 0 && !isMounted(folder, NO_LOWER);
    }

    private boolean isMounted(Path folder, Set<String> types) {
        Mounts.Mount mount = mounted.get(folder.toString());
        return mount != null && types.contains(mount.type());
    }

    /** An ordinary user cannot remove the other restrictions of the machine's mount. */
    private void mountReadOnly(Path path) {
        Path point = path;
        while (!mounted.containsKey(point.toString()) && !point.equals(ROOT)) {
            point = ContainerPaths.parent(point);
        }
        Mounts.Mount around = mounted.get(point.toString());
        List<String> options = new ArrayList<>(List.of("bind", "ro", "nofail"));
        if (around != null) {
            around.options().stream().filter(KEPT::contains).forEach(options::add);
        }
        mount(path.toString(), path, "none", String.join(",", options));
    }

    private static boolean hasBelow(NavigableSet<String> paths, Path folder) {
        String below = paths.higher(folder + "/");
        return below != null && below.startsWith(folder + "/");
    }

    /** Files that this user cannot read are left out. */
    private static void copy(Path folder, Path made) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                Path target = made.resolve(folder.relativize(child));
                if (Files.isSymbolicLink(child)) {
                    Path leadsTo = Files.readSymbolicLink(child);
                    Files.createSymbolicLink(/* link= */ target, leadsTo);
                } else if (Files.isReadable(child)) {
                    Files.copy(child, target, StandardCopyOption.COPY_ATTRIBUTES);
                    if (Files.isDirectory(child)) {
                        copy(child, target);
                    }
                }
            }
        }
    }

    /** Puts an empty folder over each own folder that a folder of the machine would show. */
    private void hideOwn() throws IOException {
        for (Path path : ContainerPaths.OWN) {
            if (Files.isDirectory(path) && !Files.exists(inRoot(path)) && isShown(ContainerPaths.parent(path))) {
                makeParents(path);
                Files.createDirectories(inLayer(path));
                Path empty = layer.resolve("own").resolve(String.valueOf(hidden.size()));
                Files.createDirectories(ContainerPaths.parent(empty));
                like(path, empty);
                hidden.put(path, empty);
                mount(empty.toString(), path, "none", "bind");
            }
        }
    }

    /** Adds the container's own processes, devices and memory for files. */
    private void addOwn() throws IOException {
        mount("proc", Path.of("/proc"), "proc", "nosuid,nodev,noexec");
        for (String part : MACHINE) {
            Path path = Path.of("/proc", part);
            if (Files.exists(path)) {
                mount(inRoot(path).toString(), path, "none", "bind,ro");
            }
        }
        mount("sysfs", Path.of("/sys"), "sysfs", "ro,nosuid,nodev,noexec");
        Path devices = inLayer(Path.of("/dev"));
        for (String device : DEVICES) {
            Path path = Path.of("/dev", device);
            if (Files.exists(path)) {
                Files.createFile(devices.resolve(device));
                // The device itself allows reads and writes; its mode and owner are the machine's.
                mountReadOnly(path);
            }
        }
        Files.createDirectory(devices.resolve("pts"));
        mount("devpts", Path.of("/dev/pts"), "devpts", "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620");
        Files.createSymbolicLink(devices.resolve("ptmx"), Path.of("pts/ptmx"));
        Files.createSymbolicLink(devices.resolve("fd"), Path.of("../proc/self/fd"));
        Files.createSymbolicLink(devices.resolve("stdin"), Path.of("../proc/self/fd/0"));
        Files.createSymbolicLink(devices.resolve("stdout"), Path.of("../proc/self/fd/1"));
        Files.createSymbolicLink(devices.resolve("stderr"), Path.of("../proc/self/fd/2"));
    }

    /** Outer paths come first. */
    private void addVolumes(List<PodVolumes.Mount> mounts, VolumeTrees trees) throws IOException {
        List<PodVolumes.Mount> outer = new ArrayList<>();
        for (PodVolumes.Mount mount : mounts) {
            Optional<PodVolumes.Mount> around =
                    outer.stream().filter(each -> each.isAround(mount)).findFirst();
            if (around.isPresent()) {
                requirePlace(around.get(), mount);
                try {
                    trees.addInside(mount);
                } catch (LinuxNetException e) {
                    throw refused(
                            field(mount),
                            Path.of(mount.path()),
                            e.errno() == Errno.ENOTDIR
                                    ? NOT_A_FOLDER
                                    : e.errno().toString(),
                            "a folder on a folder, a file on a file");
                }
            } else {
                boolean asItIs = mount.isWhole() && mounts.stream().noneMatch(mount::isAround);
                requireOutsideOfProc(mount);
                Path source = asItIs ? mount.source() : trees.add(mount);
                Path target = Path.of(mount.path());
                place(field(mount), target, Files.isDirectory(source));
                mount(source.toString(), target, "none", options(mount));
            }
            outer.add(0, mount);
        }
    }

    private String options(PodVolumes.Mount mount) {
        String ofMemory = mount.source().equals(sharedMemory) ? ",nosuid,nodev,noexec" : "";
        return "rbind" + (mount.readOnly() ? ",ro" : "") + ofMemory;
    }

    /** While the container's root is being made, /proc has links to the machine. */
    private void requireOutsideOfProc(PodVolumes.Mount mount) throws IOException {
        if (Path.of(mount.path()).startsWith("/proc")) {
            throw new IOException(field(mount) + ": " + mount.path() + " (expected: a path outside of /proc)");
        }
    }

    private void requirePlace(PodVolumes.Mount around, PodVolumes.Mount mount) throws IOException {
        if (!around.hasPlace(mount.path())) {
            throw new IOException(field(mount) + ": " + mount.path()
                    + " (expected: a path that the read-only volume at " + around.path() + " has)");
        }
    }

    /** The manifest's name for the path of a mount. */
    private String field(PodVolumes.Mount mount) {
        return mount.source().equals(TerminationMessage.file(words(layer))) ? "terminationMessagePath" : "mountPath";
    }

    /** The error in runc's words, with the field. */
    private static IOException refused(String field, Path target, String problem, String expected) {
        return new IOException(field + ": error mounting to rootfs at \"" + target + "\": " + problem + " (expected: "
                + expected + ")");
    }

    /**
     * Makes a path without links in the container, if it is absent. A folder is mounted on a folder, and a file on a
     * file.
     */
    private void place(String field, Path target, boolean directory) throws IOException {
        boolean ofKernel = KERNEL.stream().anyMatch(each -> target.startsWith(each) && !target.equals(each));
        if (ofKernel && (!target.startsWith("/sys") || !Files.exists(target))) {
            throw refused(field, target, "operation not permitted", "a path that is there, or elsewhere");
        }
        Path there = target;
        if (!ofKernel && !isShown(target)) {
            try {
                makeParents(target);
            } catch (NotDirectoryException e) {
                throw refused(field, target, NOT_A_FOLDER, "a path that is not below the file " + e.getFile());
            }
            there = inLayer(target);
            removeLink(there);
            if (!Files.exists(there)) {
                if (directory) {
                    Files.createDirectory(there);
                } else {
                    Files.createFile(there);
                }
            }
        }
        if (Files.isDirectory(there) != directory) {
            throw refused(
                    field, target, NOT_A_FOLDER, "a path of a " + (directory ? "folder" : "file") + ", or of none");
        }
    }

    /** Whether the container has the machine's file at this path. */
    private boolean isShown(Path path) {
        return Files.exists(path)
                && !ContainerPaths.isOwn(path)
                && (layered || WRITTEN.stream().noneMatch(each -> path.startsWith(each) && !path.equals(each)));
    }

    /** Folders that the machine has keep their owners and modes. */
    private void makeParents(Path path) throws IOException {
        Path parent = ContainerPaths.parent(path);
        if (parent.equals(ROOT)) {
            return;
        }
        makeParents(parent);
        Path made = inLayer(parent);
        removeLink(made);
        if (!Files.isDirectory(made)) {
            if (Files.exists(made) || (isShown(parent) && !Files.isDirectory(parent))) {
                throw new NotDirectoryException(parent.toString());
            }
            if (isShown(parent)) {
                like(parent, made);
            } else {
                Files.createDirectory(made);
            }
        }
    }

    /** A dangling link of the machine may lead into a volume here, so a folder hides it. */
    private static void removeLink(Path made) throws IOException {
        if (Files.isSymbolicLink(made)) {
            Files.delete(made);
        }
    }

    /** Makes a folder of the same owner and mode. */
    private static void like(Path folder, Path made) throws IOException {
        try {
            Files.copy(folder, made, StandardCopyOption.COPY_ATTRIBUTES);
            // Without the owner the copy keeps only the mode that the umask allows.
            Files.setAttribute(made, MODE, Files.getAttribute(folder, MODE));
        } catch (FileAlreadyExistsException e) {
            // Another mount has made it.
            return;
        }
    }

    /** The layer's place for a path of the container. */
    private Path inLayer(Path path) {
        for (Map<Path, Path> mounts : List.of(hidden, overlays)) {
            for (Map.Entry<Path, Path> mount : mounts.entrySet()) {
                if (path.startsWith(mount.getKey())) {
                    return mount.getValue().resolve(mount.getKey().relativize(path));
                }
            }
        }
        return inRoot(path);
    }

    /** The place of a container's path while its root is being made. */
    private Path inRoot(Path path) {
        return layer.resolve("root").resolve(ROOT.relativize(path));
    }

    private void mount(String source, Path target, String type, String options) {
        table.add(source, inRoot(target), type, options);
    }
}
