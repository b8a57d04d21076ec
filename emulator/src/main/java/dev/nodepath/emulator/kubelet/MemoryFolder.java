package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folders in memory with a size limit: each is a file system of its own in the cluster's mount namespace. */
final class MemoryFolder {
    /** Each file costs the kernel about a KiB, even an empty one. */
    private static final String FILES_MAX = "nr_inodes=128k";

    /** The limit of a size in a manifest, which may ask for more than the machine has. */
    static final BigDecimal BYTES_MAX = BigDecimal.valueOf(1L << 30);

    private MemoryFolder() {}

    /** The option for a size in octets, rounded up: 0 would be no limit. */
    static String size(BigDecimal octets) {
        return "size=" + octets.setScale(0, RoundingMode.CEILING).toPlainString();
    }

    /**
     * Makes an empty folder.
     *
     * @param options of the file system, as {@code size=64m}
     */
    static void make(Path folder, String options) throws IOException {
        remove(folder);
        Files.createDirectories(folder);
        Syscalls syscalls = Syscalls.load();
        Syscalls.orThrow("mount " + folder, syscalls.mountNew("tmpfs", folder.toString(), FILES_MAX + "," + options));
    }

    /**
     * Removes the mounts at a folder. The memory is free when the last process that uses the file system has ended.
     * Does nothing without a mount.
     */
    static void remove(Path folder) throws LinuxNetException {
        remove(folder.toString());
    }

    private static void remove(String folder) throws LinuxNetException {
        long result = Syscalls.load().unmount(folder);
        if (result != -Errno.EINVAL.number() && result != -Errno.ENOENT.number()) {
            Syscalls.orThrow("unmount " + folder, result);
        }
    }

    static void removeBelow(Path folder) throws IOException {
        for (String mounted : Mounts.read().keySet()) {
            if (mounted.startsWith(folder + "/")) {
                remove(mounted);
            }
        }
    }
}
