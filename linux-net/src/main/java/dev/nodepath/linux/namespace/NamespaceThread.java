package dev.nodepath.linux.namespace;

import dev.nodepath.linux.namespace.NetworkNamespace.NamespaceTask;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Runs one task on a platform thread of its own. The thread ends with the task, so no thread of a pool stays in another
 * namespace.
 */
public final class NamespaceThread {
    private NamespaceThread() {}

    /**
     * Runs the task and waits for it. LinuxNetException, RuntimeException and Error come out as they were thrown, any
     * other exception as the cause of an EIO. An interrupted caller interrupts the task, waits until it has ended, so
     * that nothing works on behind its back, and stays interrupted.
     */
    public static <T> T run(String name, NamespaceTask<T> task) throws LinuxNetException {
        FutureTask<T> result = new FutureTask<>(new Callable<T>() {
            @Override
            public T call() throws Exception {
                return task.run();
            }
        });
        Thread thread = new Thread(result, name);
        thread.setDaemon(true);
        thread.start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    thread.interrupt();
                }
            }
        } catch (ExecutionException e) {
            throw rethrown(name, e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The exception of a task, as {@link #run} throws it; an Error is thrown here. */
    static LinuxNetException rethrown(String name, @Nullable Throwable thrown) {
        if (thrown instanceof LinuxNetException refusal) {
            return refusal;
        }
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        return new LinuxNetException(name, Errno.EIO.number(), String.valueOf(thrown), thrown);
    }
}
