package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A lock by name that leaves nothing, also when its owner is killed: an abstract unix address, which one socket of a
 * network namespace can have (unix(7)).
 */
public final class NameLock implements AutoCloseable {
    private static final int AF_UNIX = 1;
    /** With SOCK_CLOEXEC: a program that the owner starts does not hold the lock. */
    private static final int SOCK_DGRAM = 2 | 0x80000;

    private final Descriptor socket;

    private NameLock(Descriptor socket) {
        this.socket = socket;
    }

    /**
     * Takes the lock. It does not wait.
     *
     * @param name at most 107 bytes in UTF-8
     * @return empty if somebody else has it
     */
    public static Optional<NameLock> tryAcquire(Syscalls syscalls, String name) throws LinuxNetException {
        Descriptor socket =
                new Descriptor(syscalls, Syscalls.orThrow("open unix socket", syscalls.socket(AF_UNIX, SOCK_DGRAM, 0)));
        long bound = syscalls.bind(socket.number(), address(name));
        if (bound == 0) {
            return Optional.of(new NameLock(socket));
        }
        socket.close();
        if (bound == -Errno.EADDRINUSE.number()) {
            return Optional.empty();
        }
        throw new LinuxNetException("lock " + name, (int) -bound, "");
    }

    @Override
    public void close() {
        socket.close();
    }

    /** {@code struct sockaddr_un} with a zero byte before the name. */
    private static byte[] address(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 + 1 + bytes.length)
                .order(ByteOrder.nativeOrder())
                .putShort((short) AF_UNIX)
                .put((byte) 0)
                .put(bytes)
                .array();
    }
}
