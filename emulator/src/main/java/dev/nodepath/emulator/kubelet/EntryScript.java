package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes the script that runs a command as a container's: in the Pod's network namespace, with the Pod's own files and
 * name, and the container's environment. Each run has a mount namespace of its own, so nothing of the machine changes.
 *
 * <p>A container sees the machine's files, as there are no images. Where a mount path does not exist, the root is an
 * overlay that has it; the rest of that root is read-only then.
 */
final class EntryScript {
    /** The script's name in its folder. */
    static final String NAME = "enter";

    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private final Path folder;
    private final Path namespace;
    private final String hostname;
    private final List<PodVolumes.Mount> mounts;

    /**
     * A script to be written.
     *
     * @param folder for what it needs, of this container alone
     * @param namespace the file of the network namespace
     * @param mounts the Pod's own files, then the volumes
     */
    EntryScript(Path folder, Path namespace, String hostname, List<PodVolumes.Mount> mounts) {
        this.folder = folder;
        this.namespace = namespace;
        this.hostname = hostname;
        this.mounts = List.copyOf(mounts);
    }

    /** A script that enters a network namespace and nothing else, for a host. */
    static void writeForHost(Path file, Path namespace) throws IOException {
        write(file, List.of("#!/bin/sh", "exec nsenter --net=" + namespace + " -- \"$@\""));
    }

    /** Writes it, and returns its path. */
    Path write(Map<String, String> environment, String workingDir) throws IOException {
        Files.createDirectories(folder);
        Path setUp = folder.resolve("set-up");
        write(setUp, setUp(environment, workingDir.isEmpty() ? "/" : workingDir));
        Path enter = folder.resolve(NAME);
        write(
                enter,
                List.of(
                        "#!/bin/sh",
                        "exec nsenter --net=" + namespace + " -- unshare --mount --uts -- " + setUp + " \"$@\""));
        return enter;
    }

    private List<String> setUp(Map<String, String> environment, String workingDir) throws IOException {
        List<String> script = new ArrayList<>(List.of("#!/bin/sh", "set -e"));
        List<String> missing = missingPaths();
        String root = missing.isEmpty() ? "" : folder.resolve("root").toString();
        if (!missing.isEmpty()) {
            addOverlay(script, missing, root);
        }
        for (PodVolumes.Mount mount : mounts) {
            String target = quoted(root + (root.isEmpty() ? existing(mount.path()) : mount.path()));
            script.add("mount --bind " + quoted(mount.source().toString()) + " " + target);
            if (mount.readOnly()) {
                script.add("mount -o remount,bind,ro " + target);
            }
        }
        script.add("hostname " + quoted(hostname));
        environment.forEach((name, value) -> script.add("export " + name + "=" + quoted(value)));
        script.add(
                root.isEmpty()
                        ? "cd " + quoted(workingDir)
                        : "exec chroot " + quoted(root) + " /bin/sh -c 'cd \"$0\" && exec \"$@\"' " + quoted(workingDir)
                                + " \"$@\"");
        script.add("exec \"$@\"");
        return script;
    }

    /** The mount paths that the machine does not have. */
    private List<String> missingPaths() {
        return mounts.stream()
                .map(PodVolumes.Mount::path)
                .filter(path -> existing(path).isEmpty())
                .toList();
    }

    /** The path with all its links resolved; empty if there is no such file, also for a link that leads nowhere. */
    private static String existing(String path) {
        try {
            return Path.of(path).toRealPath().toString();
        } catch (IOException e) {
            return "";
        }
    }

    private void addOverlay(List<String> script, List<String> missing, String root) throws IOException {
        Path skeleton = Files.createDirectories(folder.resolve("skeleton"));
        for (PodVolumes.Mount mount : mounts) {
            if (missing.contains(mount.path())) {
                Path target = skeleton.resolve(Path.of("/").relativize(Path.of(mount.path())));
                if (Files.isDirectory(mount.source())) {
                    Files.createDirectories(target);
                } else {
                    Files.createDirectories(target.getParent());
                    if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
                        Files.createFile(target);
                    }
                }
            }
        }
        script.add("mkdir -p " + root);
        script.add("mount -t overlay overlay -o lowerdir=" + skeleton + ":/ " + root);
        for (String mounted : topMounts()) {
            script.add("mount --rbind " + quoted(mounted) + " " + quoted(root + mounted));
        }
    }

    /** What is mounted on the machine's root, without what is mounted below it, and /tmp, which programs write to. */
    private static List<String> topMounts() throws IOException {
        List<String> top = new ArrayList<>();
        List<String> all = new ArrayList<>();
        for (String line : Files.readAllLines(MOUNTS)) {
            all.add(line.split(" ", -1)[1]);
        }
        if (!all.contains("/tmp")) {
            all.add("/tmp");
        }
        all.stream().sorted().distinct().filter(each -> !each.equals("/")).forEach(each -> {
            if (top.stream().noneMatch(above -> each.startsWith(above + "/"))) {
                top.add(each);
            }
        });
        return top;
    }

    private static void write(Path file, List<String> lines) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, lines);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
