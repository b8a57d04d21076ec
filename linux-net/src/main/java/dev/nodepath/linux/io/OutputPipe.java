package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.Syscalls;
import java.time.Duration;

/** Whether a pipe takes more now, or whoever reads from it lets its writers wait. For any thread. */
public final class OutputPipe {
    /** As much goes into a pipe that takes anything ({@code pipe(7)}), without waiting. */
    public static final int BYTES_AT_A_TIME = 4096;

    private static final int STANDARD_ERROR = 2;

    /** Of {@code include/uapi/asm-generic/poll.h}. */
    private static final int POLLOUT = 4;

    private final Syscalls syscalls;
    private final int fd;

    OutputPipe(Syscalls syscalls, int fd) {
        this.syscalls = syscalls;
        this.fd = fd;
    }

    /** That of this process for errors. A file is as good; a terminal that is stopped takes less than it tells. */
    public static OutputPipe ofStandardError() {
        return new OutputPipe(Syscalls.load(), STANDARD_ERROR);
    }

    /** Waits until it takes more, or would tell of an error. Returns whether it does, within this time. */
    public boolean awaitRoom(Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        long result;
        do {
            result = syscalls.poll(fd, POLLOUT, Math.max(0, deadline - System.nanoTime()));
        } while (result == -Errno.EINTR.number());
        return result != 0;
    }
}
