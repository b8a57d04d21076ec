package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Layers of containers above the machine's folders, where the kernel has them for this user. */
public final class Overlays {
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
}
