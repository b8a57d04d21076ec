package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Layers of containers above the machine's folders, where the kernel has them for this user. */
public final class Overlays {
    /**
     * The folders that {@link #takeFolders} makes for each overlay. A search for them takes longer than making them.
     */
    private static final Map<Path, List<Path>> TAKEN = new ConcurrentHashMap<>();

    /** The most folders that an overlay makes: each costs a container about a KiB. */
    private static final int TAKEN_MAX = 500;

    /** It has too many folders to make them all. */
    private static final Path PROGRAMS = Path.of("/usr");

    private static final Path LOCAL = Path.of("/usr/local");
    private static final int PROGRAM_LEVELS = 2;

    private static final String MODE = "unix:mode";

    private Overlays() {}

    /** Tried once. */
    private static final class Tried {
        static final boolean WORKS = works();
    }

    /** Whether this kernel has overlays for this user. Call it only in an enclosure: it mounts one. */
    public static boolean areHere() {
        return Tried.WORKS;
    }

    static String options(Path lower, Path upper, Path work) throws IOException {
        return "lowerdir=" + lower.toString().replace("\\", "\\\\").replace(":", "\\:") + ",upperdir=" + upper
                + ",workdir=" + work + (areOfAllUsers() ? "" : ",userxattr");
    }

    /**
     * Whether the enclosure has all users of the machine; overlays of another user namespace keep their notes in other
     * attributes.
     */
    static boolean areOfAllUsers() throws IOException {
        return Files.readString(Path.of("/proc/self/uid_map")).strip().matches("0\\s+0\\s+4294967295");
    }

    private static boolean works() {
        try {
            Path folder = Files.createTempDirectory("overlay");
            MemoryFolder.make(folder, "size=64k");
            try {
                Path upper = Files.createDirectory(folder.resolve("upper"));
                Path work = Files.createDirectory(folder.resolve("work"));
                Path all = Files.createDirectory(folder.resolve("all"));
                Syscalls.orThrow(
                        "mount overlay",
                        Syscalls.load().mountNew("overlay", all.toString(), options(Path.of("/usr"), upper, work)));
                MemoryFolder.remove(all);
                return true;
            } finally {
                MemoryFolder.remove(folder);
                Files.delete(folder);
            }
        } catch (LinuxNetException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Makes the folders below a folder of the machine also in the container's layer, so that they are the container's;
     * they still show the machine's files. An ordinary user's root may not write to the machine's folders: their owner
     * is no user of its namespace.
     */
    static void takeFolders(Path top, Path upper) throws IOException {
        List<Path> taken = TAKEN.get(top);
        if (taken == null) {
            taken = below(top);
            TAKEN.put(top, taken);
        }
        for (Path folder : taken) {
            Path now = top.resolve(folder);
            if (Files.isDirectory(now, LinkOption.NOFOLLOW_LINKS)) {
                Path made = Files.createDirectory(upper.resolve(folder));
                Files.setAttribute(made, MODE, Files.getAttribute(now, MODE));
            }
        }
    }

    /** Relative paths of folders below one, outer ones first. */
    private static List<Path> below(Path top) throws IOException {
        List<Path> below = new ArrayList<>();
        Deque<Path> left = new ArrayDeque<>(List.of(top));
        while (!left.isEmpty() && below.size() < TAKEN_MAX) {
            Path folder = left.removeFirst();
            if (!folder.equals(top)) {
                below.add(top.relativize(folder));
            }
            boolean deep = !folder.startsWith(PROGRAMS) || folder.startsWith(LOCAL);
            if (deep || folder.getNameCount() <= PROGRAM_LEVELS) {
                left.addAll(folders(folder));
            }
        }
        return below;
    }

    /** The subfolders, by name; none if this user cannot read the folder. */
    private static List<Path> folders(Path folder) throws IOException {
        if (!Files.isReadable(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(child -> Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS))
                    .filter(Files::isReadable)
                    .sorted()
                    .toList();
        } catch (NoSuchFileException e) {
            // It has vanished meanwhile.
            return List.of();
        }
    }
}
