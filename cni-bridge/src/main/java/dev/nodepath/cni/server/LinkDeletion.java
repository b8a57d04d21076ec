package dev.nodepath.cni.server;

import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Deletes links and returns as soon as the kernel does not know them any more.
 *
 * <p>The kernel takes a link out of its lists, off its bridge and away from its addresses and routes within a millisecond, under
 * the lock of all changes to links. Then it lets go of the lock, waits until no processor can still hold an old reference (some 15
 * ms), frees the memory and only then answers the request ({@code netdev_run_todo} in {@code net/core/dev.c}). So the request is
 * made on a thread that waits for its end, and the caller asks for the link until the kernel says that there is none.
 */
final class LinkDeletion {
    /** How many deletions may wait for the kernel's end at once; the next ones wait for one of them. */
    static final int UNFINISHED_MAX = 64;

    private static final Duration PAUSE = Duration.ofNanos(100_000);

    private final LinuxNet net;
    private final Semaphore unfinished = new Semaphore(UNFINISHED_MAX);

    LinkDeletion(LinuxNet net) {
        this.net = net;
    }

    /**
     * Deletes links of the net's current namespace together.
     *
     * @param host the same namespace, to look for the links
     * @return whether all of them are gone
     */
    boolean delete(NetworkNamespace host, List<Integer> indexes) throws LinuxNetException {
        CountDownLatch ended = new CountDownLatch(1);
        unfinished.acquireUninterruptibly();
        boolean started = false;
        try {
            Thread thread = new Thread(() -> request(indexes, ended), "link-deletion");
            thread.setDaemon(true);
            thread.start();
            started = true;
        } finally {
            if (!started) {
                unfinished.release();
            }
        }
        for (int index : indexes) {
            if (!awaitGone(host, index, ended)) {
                return false;
            }
        }
        return true;
    }

    /** With a handle of its own: the caller's is closed before the kernel's end. */
    private void request(List<Integer> indexes, CountDownLatch ended) {
        try (NetworkNamespace own = net.current()) {
            if (indexes.size() == 1) {
                own.deleteLink(indexes.get(0));
            } else {
                own.deleteLinks(indexes);
            }
        } catch (LinuxNetException e) {
            return; // whoever waits finds the link, and what the kernel has to say of it
        } finally {
            unfinished.release();
            ended.countDown();
        }
    }

    private static boolean awaitGone(NetworkNamespace host, int index, CountDownLatch ended) throws LinuxNetException {
        while (true) {
            boolean last = ended.getCount() == 0;
            if (host.link(index).isEmpty()) {
                return true;
            }
            if (last) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
