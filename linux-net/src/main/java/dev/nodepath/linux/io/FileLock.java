package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** An exclusive {@code flock(2)}. The kernel releases it when it is closed or the process ends. */
public final class FileLock implements AutoCloseable {
    private static final int MODE = 0600;

    private final Descriptor file;

    private FileLock(Descriptor file) {
        this.file = file;
    }

    /**
     * Locks a file, which it creates if it is missing; it does not wait. A link is no such file.
     *
     * @return empty if somebody else holds the lock
     */
    public static Optional<FileLock> tryAcquire(Syscalls syscalls, Path file) throws LinuxNetException {
        String operation = "lock " + file;
        // Opening a pipe would wait for its other end.
        int flags =
                Syscalls.O_RDONLY | Syscalls.O_CREAT | Syscalls.O_CLOEXEC | Syscalls.O_NONBLOCK | syscalls.noFollow();
        while (true) {
            int fd = Syscalls.orThrow(operation, syscalls.open(file.toString(), flags, MODE));
            long locked = syscalls.tryLock(fd);
            if (locked == 0 && isAt(fd, file)) {
                return Optional.of(new FileLock(new Descriptor(syscalls, fd)));
            }
            syscalls.close(fd);
            if (locked == -Errno.EAGAIN.number()) {
                return Optional.empty();
            }
            Syscalls.orThrow(operation, locked);
        }
    }

    /**
     * Its last holder may have deleted it since it was opened: then the lock is of a file that no other process sees.
     */
    private static boolean isAt(int fd, Path file) {
        try {
            return Files.isSameFile(Path.of("/proc/self/fd/" + fd), file);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
