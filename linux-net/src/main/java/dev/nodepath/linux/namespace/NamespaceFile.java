package dev.nodepath.linux.namespace;

import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.namespace.NetworkNamespace.NamespaceTask;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An open file of a network namespace. It keeps the namespace alive. */
public final class NamespaceFile implements AutoCloseable {
    private static final Path PROCESS = Path.of("/proc/self/ns/net");
    private static final Path THREAD = Path.of("/proc/thread-self/ns/net");

    /**
     * The namespace that this process was started in. Its file stays open until the process ends: threads return there,
     * and each opening takes as long as a request.
     */
    private static final class OfProcess {
        private static volatile @Nullable OfProcess opened;

        private final int fd;
        private final Path identity;

        private OfProcess(int fd, Path identity) {
            this.fd = fd;
            this.identity = identity;
        }

        static OfProcess get(Syscalls syscalls) throws LinuxNetException {
            OfProcess known = opened;
            return known == null ? open(syscalls) : known;
        }

        private static synchronized OfProcess open(Syscalls syscalls) throws LinuxNetException {
            OfProcess known = opened;
            if (known == null) {
                known = new OfProcess(openFile(syscalls, PROCESS.toString()), identity(PROCESS));
                opened = known;
            }
            return known;
        }

        /** Whether the calling thread is there. */
        boolean isOfThread() throws LinuxNetException {
            return identity(THREAD).equals(identity);
        }
    }

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
        return new NamespaceFile(syscalls, path.toString(), openFile(syscalls, path.toString()), false);
    }

    /** Opens the namespace that this process was started in. The namespace of the calling thread does not matter. */
    public static NamespaceFile ofProcess(Syscalls syscalls) throws LinuxNetException {
        return new NamespaceFile(syscalls, PROCESS.toString(), OfProcess.get(syscalls).fd, true);
    }

    /** Opens the namespace that the calling thread is in. */
    public static NamespaceFile ofThread(Syscalls syscalls) throws LinuxNetException {
        return OfProcess.get(syscalls).isOfThread() ? ofProcess(syscalls) : open(syscalls, THREAD);
    }

    /** Makes a namespace without a name, which goes when nothing uses it any more. */
    public static Descriptor createUnnamed(Syscalls syscalls) throws LinuxNetException {
        String operation = "create namespace";
        return NamespaceThread.run(operation, () -> {
            Syscalls.orThrow(operation, syscalls.unshareNetwork());
            return new Descriptor(syscalls, openFile(syscalls, THREAD.toString()));
        });
    }

    /** O_NONBLOCK, because opening a named pipe would block for ever. */
    private static int openFile(Syscalls syscalls, String name) throws LinuxNetException {
        int flags = Syscalls.O_RDONLY | Syscalls.O_CLOEXEC | Syscalls.O_NONBLOCK;
        return Syscalls.orThrow("open namespace " + name, syscalls.open(name, flags, 0));
    }

    /**
     * Moves the calling thread into the namespace; nothing happens if the thread never left the process's one, because
     * setns needs CAP_SYS_ADMIN even for that.
     */
    synchronized void enter() throws LinuxNetException {
        if (!isEntered()) {
            Syscalls.orThrow("enter namespace " + name, syscalls.enterNetwork(fd));
        }
    }

    /** Whether this is the process's namespace and the calling thread is in it. */
    synchronized boolean isEntered() throws LinuxNetException {
        checkOpen();
        return ofProcess && OfProcess.get(syscalls).isOfThread();
    }

    /**
     * Runs a short task in the namespace and returns to where the calling thread was. A thread that is in the process's
     * namespace goes there itself. Any other leaves the task to a new thread.
     *
     * @throws LostThreadError if the thread could not return
     */
    <T> T inside(NamespaceTask<T> task) throws LinuxNetException {
        if (isEntered()) {
            return run(task);
        }
        OfProcess home = OfProcess.get(syscalls);
        if (ofProcess || !home.isOfThread()) {
            return onOwnThread(task);
        }
        enter();
        try {
            return run(task);
        } finally {
            leave(home);
        }
    }

    /** Runs a task in the namespace, on a thread that ends with it. */
    <T> T onOwnThread(NamespaceTask<T> task) throws LinuxNetException {
        return NamespaceThread.run("netns " + name, new NamespaceTask<T>() {
            @Override
            public T run() throws Exception {
                enter();
                return task.run();
            }
        });
    }

    private void leave(OfProcess home) {
        long left = syscalls.enterNetwork(home.fd);
        if (left < 0) {
            throw new LostThreadError(name, Errno.of((int) -left));
        }
    }

    private <T> T run(NamespaceTask<T> task) throws LinuxNetException {
        try {
            return task.run();
        } catch (Exception e) {
            throw NamespaceThread.rethrown("netns " + name, e);
        }
    }

    private static Path identity(Path namespace) throws LinuxNetException {
        try {
            return Files.readSymbolicLink(namespace);
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
            if (!ofProcess) {
                syscalls.close(fd);
            }
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the handle of network namespace " + name + " is closed");
        }
    }
}
