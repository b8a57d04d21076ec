package dev.nodepath.cni.server;

import dev.nodepath.cni.AddressGate;
import dev.nodepath.cni.AttachmentLocks;
import dev.nodepath.cni.Invocation;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.io.SharedFolder;
import dev.nodepath.linux.io.UnixConnection;
import dev.nodepath.linux.io.UnixListener;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Serves CNI calls from a unix socket. Each call has a thread to itself. A thread stays for the next call, because
 * starting one takes as long as several requests of the kernel.
 *
 * <p>A client ({@code nodepath-bridge.c}) waits at most five seconds for the hello and then works without the server.
 * So a busy, stopped or stuck server delays a pod by as much. A stopping server finishes the calls of greeted clients.
 */
public final class CniServer {
    /** The clients' default socket. */
    public static final Path SOCKET = Path.of("/run/nodepath/cni.sock");

    /**
     * The most simultaneous calls. Further clients wait for the hello. All pods of a node may wait in the gate at once.
     * A kubelet has at most 110 by default.
     */
    public static final int CALLS_MAX = 256;

    /** How long the server waits for running calls when it ends. */
    public static final Duration DRAIN_WAIT_MAX = Duration.ofSeconds(25);

    private static final int BACKLOG = 128;
    private static final Duration ACCEPT_PAUSE = Duration.ofMillis(100);
    /** How long a further thread waits for a call before it ends. */
    private static final Duration THREAD_REST = Duration.ofSeconds(30);

    private final Path socket;
    private final FileLock lock;
    private final UnixListener listener;
    private final CallHandler handler;
    private final AttachmentLocks locks;
    private final CniServerListener events;
    private final int user;
    private final byte[] hello;
    private final ExecutorService threads;
    /** A permit for each call and for the accepting thread. A thread with all permits is alone with the listener. */
    private final Semaphore rooms = new Semaphore(CALLS_MAX);

    private volatile boolean stopping;

    private CniServer(
            Path socket,
            FileLock lock,
            UnixListener listener,
            CallHandler handler,
            AttachmentLocks locks,
            CniServerListener events,
            int user,
            byte[] hello,
            ExecutorService threads) {
        this.socket = socket;
        this.lock = lock;
        this.listener = listener;
        this.handler = handler;
        this.locks = locks;
        this.events = events;
        this.user = user;
        this.hello = hello;
        this.threads = threads;
    }

    /**
     * Listens at a path, also after a server that died. Clients may connect from now on. Meanwhile it rehearses.
     *
     * @throws IOException if another server has it
     */
    public static CniServer open(KernelLinuxNet net, Path socket, AddressGate gate, CniServerListener events)
            throws IOException {
        ServedPlugin plugin = ServedPlugin.at(socket, Invocation.onThisNode(net, new BatchedRemoval(net), gate));
        AttachmentLocks locks = AttachmentLocks.onThisNode(net);
        CniServer server = open(net, socket, plugin, locks, events, CniServer::daemon);
        daemon(() -> rehearse(new Rehearsal(net, locks, socket), events)).start();
        return server;
    }

    private static void rehearse(Rehearsal rehearsal, CniServerListener events) {
        try {
            events.rehearsed(rehearsal.run());
        } catch (IOException | RuntimeException e) {
            events.rehearsed(new CallOutcome(1, String.valueOf(e.getMessage()), ""));
        }
    }

    static CniServer open(
            KernelLinuxNet net,
            Path socket,
            CallHandler handler,
            AttachmentLocks locks,
            CniServerListener events,
            ThreadFactory threads)
            throws IOException {
        Path directory = socket.toAbsolutePath().getParent();
        SharedFolder.makeTrusted(directory == null ? Path.of("/") : directory);
        Path lockPath = socket.resolveSibling(socket.getFileName() + ".lock");
        Optional<FileLock> lock = net.tryLock(lockPath);
        if (lock.isEmpty()) {
            throw new IOException("another CNI server is at " + socket + " (it holds " + lockPath + ")");
        }
        boolean done = false;
        try {
            byte[] hello = CallMessages.hello(FileIdentity.of(Path.of("/proc/self/ns/net")));
            UnixListener listener = net.listen(socket, BACKLOG);
            done = true;
            return new CniServer(
                    socket, lock.get(), listener, handler, locks, events, net.effectiveUser(), hello, pool(threads));
        } finally {
            if (!done) {
                lock.get().close();
            }
        }
    }

    /** Serves calls until another thread calls {@link #stop}. */
    public void run() throws InterruptedException {
        while (!stopping) {
            rooms.acquire();
            boolean busy = false;
            try {
                if (stopping) {
                    return; // the listener may be closed and its descriptor reused
                }
                begin(listener.accept());
                busy = true;
            } catch (LinuxNetException e) {
                if (e.errno() == Errno.EINVAL) {
                    return;
                }
                pause(String.valueOf(e.getMessage()));
            } catch (OutOfMemoryError e) {
                // No thread or memory is available now. The next call may succeed.
                pause("call not begun: " + e.getMessage());
            } finally {
                if (!busy) {
                    rooms.release();
                }
            }
        }
    }

    /** If no thread starts, it closes the connection, and the client runs the call itself. */
    private void begin(UnixConnection connection) {
        boolean begun = false;
        try {
            threads.execute(() -> serve(connection));
            begun = true;
        } finally {
            if (!begun) {
                connection.close();
            }
        }
    }

    private void pause(String failure) {
        events.acceptFailed(failure);
        LockSupport.parkNanos(ACCEPT_PAUSE.toNanos());
    }

    /** One thread always waits for the next call. {@link #rooms} bounds their number. */
    private static ExecutorService pool(ThreadFactory threads) {
        return new ThreadPoolExecutor(
                1, Integer.MAX_VALUE, THREAD_REST.toSeconds(), TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    private static Thread daemon(Runnable call) {
        Thread thread = new Thread(call, "cni-call");
        thread.setDaemon(true);
        return thread;
    }

    private void serve(UnixConnection connection) {
        try (connection) {
            new ServedCall(connection, handler, locks, events).run(user, hello);
        } finally {
            rooms.release();
        }
    }

    /** Accepts no further calls and waits for running ones, at most {@link #DRAIN_WAIT_MAX}. It may be called twice. */
    public void stop() throws IOException, InterruptedException {
        try {
            stopping = true;
            Files.deleteIfExists(socket);
            listener.stop();
            boolean drained = rooms.tryAcquire(CALLS_MAX, DRAIN_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
            if (drained) {
                listener.close();
                rooms.release(CALLS_MAX);
                threads.shutdown();
            } else {
                events.refused("calls still under way after " + DRAIN_WAIT_MAX.toSeconds() + " s");
            }
        } finally {
            lock.close();
        }
    }
}
