package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the script that runs a command as a container's: in the Pod's network namespace, with the Pod's own files and
 * name, and the container's environment alone. Each run has a mount namespace of its own, so nothing of the machine changes.
 *
 * <p>The script is the same for every container. What a manifest says is data beside it, and no shell reads it as text.
 *
 * <p>A container sees the machine's files, as there are no images. Where a mount path does not exist, the root is an
 * overlay that has it; the rest of that root is read-only then.
 */
final class EntryScript {
    /** The script's name in its folder. */
    static final String NAME = "enter";

    private static final String SET_UP = "set-up";
    private static final String HOST = "enter-host";
    private static final Path MOUNTS = Path.of("/proc/self/mounts");
    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{3})");
    private static final int OCTAL = 8;

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

    /**
     * A script that enters a network namespace and nothing else, for a host.
     *
     * @param network a link to the namespace, which this makes: {@code ../networks/NAME} beside the script
     */
    static void writeForHost(Path file, Path network, Path namespace) throws IOException {
        Files.createDirectories(network.getParent());
        link(network, namespace);
        Files.createDirectories(file.getParent());
        write(HOST, file);
    }

    /** Writes it, and returns its path. */
    Path write(Map<String, String> environment, String workingDir) throws IOException {
        Files.createDirectories(folder);
        List<String> missing = missingPaths();
        if (!missing.isEmpty()) {
            makeSkeleton(missing);
            Words.write(folder.resolve("machine"), topMounts());
        }
        List<String> bound = new ArrayList<>();
        for (PodVolumes.Mount mount : mounts) {
            String existing = existing(mount.path());
            bound.add(mount.source().toString());
            bound.add(existing.isEmpty() ? mount.path() : existing);
            bound.add(mount.readOnly() ? "bind,ro" : "bind");
        }
        Words.write(folder.resolve("mounts"), bound);
        Words.write(
                folder.resolve("names"),
                List.of(hostname, Path.of("/").resolve(workingDir).toString()));
        List<String> variables = new ArrayList<>();
        environment.forEach((name, value) -> variables.add(name + "=" + value));
        Words.write(folder.resolve("variables"), variables);
        link(folder.resolve("network"), namespace);
        write(SET_UP, folder.resolve(SET_UP));
        Path enter = folder.resolve(NAME);
        write(NAME, enter);
        return enter;
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

    private void makeSkeleton(List<String> missing) throws IOException {
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
    }

    /** What is mounted on the machine's root, without what is mounted below it, and /tmp, which programs write to. */
    private static List<String> topMounts() throws IOException {
        List<String> top = new ArrayList<>();
        List<String> all = new ArrayList<>();
        for (String line : Files.readAllLines(MOUNTS)) {
            all.add(unescaped(line.split(" ", -1)[1]));
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

    /** The kernel writes blanks and the like as a backslash and three octal digits. */
    private static String unescaped(String path) {
        return ESCAPE.matcher(path)
                .replaceAll(escape ->
                        Matcher.quoteReplacement(Character.toString(Integer.parseInt(escape.group(1), OCTAL))));
    }

    /** A script of this package. One that is there already is the same, and may be running. */
    private static void write(String script, Path file) throws IOException {
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
