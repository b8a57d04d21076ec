package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.Optional;

/**
 * A lock by name that leaves nothing, also when its owner is killed: an abstract unix address, which one socket of a
 * network namespace can have (unix(7)).
 */
public final class NameLock implements AutoCloseable {
    private final Descriptor socket;

    private NameLock(Descriptor socket) {
        this.socket = socket;
    }

    /**
     * Takes the lock. It does not wait.
     *
     * @param name at most 107 bytes in UTF-8
     * @return empty if somebody else has it
     * @throws LinuxNetException EINVAL for a longer name
     */
    public static Optional<NameLock> tryAcquire(Syscalls syscalls, String name) throws LinuxNetException {
        byte[] address = UnixAddress.ofAbstract(name);
        Descriptor socket = new Descriptor(syscalls, UnixConnection.socket(syscalls));
        long bound = syscalls.bind(socket.number(), address);
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
}
