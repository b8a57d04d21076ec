package dev.nodepath.linux.io;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A unix socket that waits for connections whose messages keep their bounds ({@code SOCK_SEQPACKET}, {@code unix(7)}).
 * The JDK's unix sockets are byte streams and cannot pass descriptors.
 */
public final class UnixListener implements AutoCloseable {
    private final Syscalls syscalls;
    private final int fd;
    private final Path path;
    private boolean closed;

    private UnixListener(Syscalls syscalls, int fd, Path path) {
        this.syscalls = syscalls;
        this.fd = fd;
        this.path = path;
    }

    /**
     * Listens at a path that only its owner may open. The ready socket replaces the file at the path, so the path is
     * never missing, open to others, or refusing.
     */
    public static UnixListener open(Syscalls syscalls, Path path, int backlog) throws IOException {
        Path unnamed = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(unnamed);
        int fd = UnixConnection.socket(syscalls);
        boolean done = false;
        try {
            Syscalls.orThrow("bind " + unnamed, syscalls.bind(fd, UnixAddress.of(unnamed)));
            Files.setPosixFilePermissions(unnamed, PosixFilePermissions.fromString("rw-------"));
            Syscalls.orThrow("listen at " + unnamed, syscalls.listen(fd, backlog));
            Files.move(unnamed, path, StandardCopyOption.ATOMIC_MOVE);
            done = true;
            return new UnixListener(syscalls, fd, path);
        } finally {
            if (!done) {
                syscalls.close(fd);
            }
        }
    }

    /**
     * Waits for the next connection.
     *
     * @throws LinuxNetException EINVAL after {@link #stop}; EMFILE, ENFILE, ENOBUFS or ENOMEM if the machine has no
     *     room for one now
     */
    public UnixConnection accept() throws LinuxNetException {
        while (true) {
            long accepted = syscalls.accept(fd);
            if (accepted != -Errno.EINTR.number() && accepted != -Errno.ECONNABORTED.number()) {
                return new UnixConnection(syscalls, Syscalls.orThrow("accept at " + path, accepted));
            }
        }
    }

    /** Refuses connections from now on; a thread that waits in {@link #accept} is woken. */
    public synchronized void stop() {
        if (!closed) {
            syscalls.shutdown(fd);
        }
    }

    /**
     * Frees the socket. No thread may wait in {@link #accept}. The path stays, because a successor may have it already.
     */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            syscalls.close(fd);
        }
    }
}
