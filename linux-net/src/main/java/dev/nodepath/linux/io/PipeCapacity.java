package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;

/** The number of bytes that a pipe holds before a write blocks. For any thread. */
public final class PipeCapacity {
    private final Syscalls syscalls;

    private PipeCapacity(Syscalls syscalls) {
        this.syscalls = syscalls;
    }

    /** Binds the C library. */
    public static PipeCapacity load() {
        return new PipeCapacity(Syscalls.load());
    }

    /**
     * Sets the capacity ({@code F_SETPIPE_SZ} of {@code fcntl(2)}).
     *
     * @param fd either end
     * @return the capacity that the kernel has set, at least as much
     * @throws LinuxNetException with EPERM above {@code fs.pipe-max-size}, or when this user has too many pages in
     *     pipes ({@code fs.pipe-user-pages-soft})
     */
    public int set(int fd, int bytes) throws LinuxNetException {
        return Syscalls.orThrow("set the capacity of a pipe to " + bytes, syscalls.setPipeSize(fd, bytes));
    }
}
