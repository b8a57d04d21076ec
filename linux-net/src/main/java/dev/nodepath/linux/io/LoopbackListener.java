package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/** TCP sockets that listen on 127.0.0.1, as descriptors that another process can be given. */
public final class LoopbackListener {
    private static final int AF_INET = 2;
    /** With SOCK_CLOEXEC and SOCK_NONBLOCK. */
    private static final int SOCK_STREAM = 1 | 0x80000 | 0x800;
    /** {@code struct sockaddr_in} of {@code linux/in.h}. */
    private static final int ADDRESS_BYTES = 16;

    private static final int LOOPBACK = 0x7f000001;
    private static final int BACKLOG = 1024;

    private LoopbackListener() {}

    /**
     * Opens one.
     *
     * @param port from 1 to 65535
     * @return empty if the port is taken
     */
    public static Optional<Descriptor> open(Syscalls syscalls, int port) throws LinuxNetException {
        int fd = Syscalls.orThrow("socket", syscalls.socket(AF_INET, SOCK_STREAM, 0));
        boolean done = false;
        try {
            long bound = syscalls.bind(fd, address(port));
            if (bound == -Errno.EADDRINUSE.number()) {
                return Optional.empty();
            }
            Syscalls.orThrow("bind 127.0.0.1:" + port, bound);
            long listening = syscalls.listen(fd, BACKLOG);
            if (listening == -Errno.EADDRINUSE.number()) {
                return Optional.empty();
            }
            Syscalls.orThrow("listen at 127.0.0.1:" + port, listening);
            done = true;
            return Optional.of(new Descriptor(syscalls, fd));
        } finally {
            if (!done) {
                long unused = syscalls.close(fd);
            }
        }
    }

    private static byte[] address(int port) {
        return ByteBuffer.allocate(ADDRESS_BYTES)
                .order(ByteOrder.nativeOrder())
                .putShort((short) AF_INET)
                .order(ByteOrder.BIG_ENDIAN)
                .putShort((short) port)
                .putInt(LOOPBACK)
                .array();
    }
}
