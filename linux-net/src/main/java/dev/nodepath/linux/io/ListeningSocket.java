package dev.nodepath.linux.io;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/** Listening TCP sockets, as descriptors that can be given to another process. */
public final class ListeningSocket {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    /** With SOCK_CLOEXEC and SOCK_NONBLOCK. */
    private static final int SOCK_STREAM = 1 | 0x80000 | 0x800;
    /** {@code struct sockaddr_in} and {@code struct sockaddr_in6} of {@code linux/in.h} and {@code linux/in6.h}. */
    private static final int ADDRESS_BYTES = 16;

    private static final int ADDRESS6_BYTES = 28;
    private static final int BACKLOG = 1024;

    private ListeningSocket() {}

    /**
     * Opens a socket that listens.
     *
     * @param address of this machine, or the unspecified one for all
     * @param port from 1 to 65535
     * @return empty if the port is taken
     */
    public static Optional<Descriptor> open(Syscalls syscalls, IpAddress address, int port) throws LinuxNetException {
        boolean v4 = address.family() == IpFamily.IPV4;
        int fd = Syscalls.orThrow("socket", syscalls.socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM, 0));
        boolean done = false;
        try {
            long bound = syscalls.bind(fd, v4 ? inet(address, port) : inet6(address, port));
            if (bound == -Errno.EADDRINUSE.number()) {
                return Optional.empty();
            }
            Syscalls.orThrow("bind " + address.withPort(port), bound);
            long listening = syscalls.listen(fd, BACKLOG);
            if (listening == -Errno.EADDRINUSE.number()) {
                return Optional.empty();
            }
            Syscalls.orThrow("listen at " + address.withPort(port), listening);
            done = true;
            return Optional.of(new Descriptor(syscalls, fd));
        } finally {
            if (!done) {
                syscalls.close(fd);
            }
        }
    }

    private static byte[] inet(IpAddress address, int port) {
        return start(ADDRESS_BYTES, AF_INET, port).put(address.toBytes()).array();
    }

    private static byte[] inet6(IpAddress address, int port) {
        int flowInfo = 0;
        return start(ADDRESS6_BYTES, AF_INET6, port)
                .putInt(flowInfo)
                .put(address.toBytes())
                .array();
    }

    private static ByteBuffer start(int bytes, int family, int port) {
        return ByteBuffer.allocate(bytes)
                .order(ByteOrder.nativeOrder())
                .putShort((short) family)
                .order(ByteOrder.BIG_ENDIAN)
                .putShort((short) port);
    }
}
