package dev.nodepath.linux.namespace;

import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An open file of a network namespace. It keeps the namespace alive. */
public final class NamespaceFile implements AutoCloseable {
    private static final Path PROCESS = Path.of("/proc/self/ns/net");
    private static final Path THREAD = Path.of("/proc/thread-self/ns/net");

    private final Syscalls syscalls;
    private final String name;
    private final int fd;
    private final boolean ofProcess;
    private boolean closed;

    private NamespaceFile(Syscalls syscalls, String name, int fd, boolean ofProcess) {
        this.syscalls = syscalls;
        this.name = name;
        this.fd = fd;
        this.ofProcess = ofProcess;
    }

    /** Opens any file; only {@link #enter} finds out whether it is a network namespace. */
    public static NamespaceFile open(Syscalls syscalls, Path path) throws LinuxNetException {
        return open(syscalls, path, false);
    }

    /** Opens the namespace that this process was started in. The namespace of the calling thread does not matter. */
    public static NamespaceFile ofProcess(Syscalls syscalls) throws LinuxNetException {
        return open(syscalls, PROCESS, true);
    }

    /** Opens the namespace that the calling thread is in. */
    public static NamespaceFile ofThread(Syscalls syscalls) throws LinuxNetException {
        return isProcess(THREAD) ? ofProcess(syscalls) : open(syscalls, THREAD, false);
    }

    /** O_NONBLOCK, because opening a named pipe would block for ever. */
    private static NamespaceFile open(Syscalls syscalls, Path path, boolean ofProcess) throws LinuxNetException {
        int flags = Syscalls.O_RDONLY | Syscalls.O_CLOEXEC | Syscalls.O_NONBLOCK;
        String name = path.toString();
        int fd = Syscalls.orThrow("open namespace " + name, syscalls.open(name, flags, 0));
        return new NamespaceFile(syscalls, name, fd, ofProcess);
    }

    /** The path it was opened by. */
    String name() {
        return name;
    }

    /**
     * Moves the calling thread into the namespace; nothing happens if the thread never left the process's one, because
     * setns needs CAP_SYS_ADMIN even for that.
     */
    synchronized void enter() throws LinuxNetException {
        if (!isEntered()) {
            int unused = Syscalls.orThrow("enter namespace " + name, syscalls.enterNetwork(fd));
        }
    }

    /** Whether this is the process's namespace and the calling thread is in it. */
    synchronized boolean isEntered() throws LinuxNetException {
        checkOpen();
        return ofProcess && isProcess(THREAD);
    }

    private static boolean isProcess(Path namespace) throws LinuxNetException {
        try {
            return Files.readSymbolicLink(namespace).equals(Files.readSymbolicLink(PROCESS));
        } catch (IOException e) {
            throw new LinuxNetException("find namespace of thread", Errno.EIO.number(), String.valueOf(e), e);
        }
    }

    /** Another descriptor of the file, to be closed by the caller. */
    synchronized Descriptor duplicate() throws LinuxNetException {
        checkOpen();
        int copy = Syscalls.orThrow("duplicate descriptor of namespace " + name, syscalls.duplicate(fd));
        return new Descriptor(syscalls, copy);
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            long unused = syscalls.close(fd);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the handle of network namespace " + name + " is closed");
        }
    }
}
