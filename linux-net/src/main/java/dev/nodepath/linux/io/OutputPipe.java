package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.Syscalls;
import java.time.Duration;

/** Tells whether a write to a pipe would block. For any thread. */
public final class OutputPipe {
    /** A writable pipe takes this many bytes without blocking ({@code pipe(7)}). */
    public static final int BYTES_AT_A_TIME = 4096;

    private static final int STANDARD_OUTPUT = 1;
    private static final int STANDARD_ERROR = 2;

    /** {@code POLLOUT} of {@code include/uapi/asm-generic/poll.h}. */
    private static final int POLLOUT = 4;

    private final Syscalls syscalls;
    private final int fd;

    OutputPipe(Syscalls syscalls, int fd) {
        this.syscalls = syscalls;
        this.fd = fd;
    }

    /** Standard error of this process. It may be a file. A stopped terminal takes less than it reports. */
    public static OutputPipe ofStandardError() {
        return new OutputPipe(Syscalls.load(), STANDARD_ERROR);
    }

    /** Standard output of this process. It may be a file. */
    public static OutputPipe ofStandardOutput() {
        return new OutputPipe(Syscalls.load(), STANDARD_OUTPUT);
    }

    /** Waits until the pipe is writable or broken. Returns false if the time is over. */
    public boolean awaitRoom(Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        long result;
        do {
            result = syscalls.poll(fd, POLLOUT, Math.max(0, deadline - System.nanoTime()));
        } while (result == -Errno.EINTR.number());
        return result != 0;
    }
}
