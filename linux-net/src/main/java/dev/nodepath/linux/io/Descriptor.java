package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.file.Path;

/** An open file of this process that the JDK cannot represent, such as a file received over a unix socket. */
public final class Descriptor implements AutoCloseable {
    private final Syscalls syscalls;
    private final int number;
    private boolean closed;

    /** Takes ownership of an open file; {@link #close} closes it. */
    public Descriptor(Syscalls syscalls, int number) {
        this.syscalls = syscalls;
        this.number = number;
    }

    /** Opens a file for reading, such as {@code /proc/PID/ns/net}. It never waits, and closes on exec. */
    public static Descriptor open(Syscalls syscalls, Path path) throws LinuxNetException {
        int flags = Syscalls.O_RDONLY | Syscalls.O_CLOEXEC | Syscalls.O_NONBLOCK;
        return new Descriptor(syscalls, Syscalls.orThrow("open " + path, syscalls.open(path.toString(), flags, 0)));
    }

    /** A path below {@code /proc/self/fd}. It is valid in this process while the file is open. */
    public Path path() {
        return Path.of("/proc/self/fd/" + number());
    }

    /** The descriptor's number in this process. */
    public synchronized int number() {
        if (closed) {
            throw new IllegalStateException("descriptor " + number + " is closed");
        }
        return number;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            syscalls.close(number);
        }
    }
}
