package dev.nodepath.linux.namespace;

import dev.nodepath.linux.namespace.NetworkNamespace.NamespaceTask;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Named namespaces: mounts below {@code /run/netns}, in the format of iproute2, so that both see the same names ({@code
 * ip-netns(8)}, {@code ip/ipnetns.c}).
 */
public final class NamedNamespaces {
    public static final Path DIRECTORY = Path.of("/run/netns");
    private static final String THREAD_NAMESPACE = "/proc/thread-self/ns/net";
    private static final int NAME_LENGTH_MAX = 255;
    private static final int DIRECTORY_MODE = 0755;
    private static final Duration LOCK_MAX = Duration.ofSeconds(10);
    private static final Duration LOCK_POLL = Duration.ofMillis(10);

    private final Syscalls syscalls;

    /** Creates and deletes files with these system calls. */
    public NamedNamespaces(Syscalls syscalls) {
        this.syscalls = syscalls;
    }

    /**
     * The file of a name.
     *
     * @throws IllegalArgumentException if the name is no valid file name
     */
    public static Path path(String name) {
        if (name.isEmpty()
                || name.length() > NAME_LENGTH_MAX
                || name.equals(".")
                || name.equals("..")
                || name.indexOf('/') >= 0
                || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("namespace name: \"" + name + "\" (expected: a file name of 1 to "
                    + NAME_LENGTH_MAX + " characters)");
        }
        return DIRECTORY.resolve(name);
    }

    /** Makes a named namespace. A failure leaves nothing behind. */
    public KernelNamespace create(String name) throws LinuxNetException {
        String operation = "create namespace " + name;
        Path path = path(name);
        prepareDirectory(operation);
        int flags = Syscalls.O_RDONLY | Syscalls.O_CREAT | Syscalls.O_EXCL | Syscalls.O_CLOEXEC;
        int file = Syscalls.orThrow(operation, syscalls.open(path.toString(), flags, 0));
        syscalls.close(file);
        boolean done = false;
        try {
            mountNew(operation, path.toString());
            KernelNamespace created = KernelNamespace.open(syscalls, NamespaceFile.open(syscalls, path));
            done = true;
            return created;
        } finally {
            if (!done) {
                syscalls.unmount(path.toString());
                syscalls.unlink(path.toString());
            }
        }
    }

    /** A thread leaves its namespace for a new one, mounts that on the file and ends. */
    private void mountNew(String operation, String path) throws LinuxNetException {
        NamespaceThread.run(operation, new NamespaceTask<Integer>() {
            @Override
            public Integer run() throws LinuxNetException {
                int ignored = Syscalls.orThrow(operation, syscalls.unshareNetwork());
                return Syscalls.orThrow(operation, syscalls.mount(THREAD_NAMESPACE, path, Syscalls.MS_BIND));
            }
        });
    }

    /** Takes the lock of the directory like iproute2, with a time limit. */
    private long lock(int descriptor) {
        long deadline = System.nanoTime() + LOCK_MAX.toNanos();
        long result = syscalls.tryLock(descriptor);
        while (result == -Errno.EAGAIN.number() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(LOCK_POLL.toNanos());
            result = syscalls.tryLock(descriptor);
        }
        return result;
    }

    /** Removes the mount and the file. A file without a mount is a leftover of a crash. */
    public void delete(String name) throws LinuxNetException {
        String operation = "delete namespace " + name;
        String path = path(name).toString();
        long unmounted = syscalls.unmount(path);
        if (unmounted != -Errno.EINVAL.number()) {
            Syscalls.orThrow(operation, unmounted);
        }
        Syscalls.orThrow(operation, syscalls.unlink(path));
    }

    /**
     * Makes the directory a shared mount. Then mount namespaces that inherited it see every later mount and unmount.
     * The lock prevents that two processes mount it over each other's names.
     */
    private void prepareDirectory(String operation) throws LinuxNetException {
        String path = DIRECTORY.toString();
        long made = syscalls.mkdir(path, DIRECTORY_MODE);
        if (made != -Errno.EEXIST.number()) {
            Syscalls.orThrow(operation, made);
        }
        int lock = Syscalls.orThrow(operation, syscalls.open(path, Syscalls.O_RDONLY | Syscalls.O_CLOEXEC, 0));
        try {
            Syscalls.orThrow(operation, lock(lock));
            long shared = syscalls.mount("none", path, Syscalls.MS_SHARED | Syscalls.MS_REC);
            if (shared == -Errno.EINVAL.number()) {
                Syscalls.orThrow(operation, syscalls.mount(path, path, Syscalls.MS_BIND | Syscalls.MS_REC));
                shared = syscalls.mount("none", path, Syscalls.MS_SHARED | Syscalls.MS_REC);
            }
            Syscalls.orThrow(operation, shared);
        } finally {
            syscalls.close(lock);
        }
    }
}
