package dev.nodepath.cni.server;

import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Deletes links and returns as soon as they are gone.
 *
 * <p>The kernel unlinks a link from its lists, bridge, addresses and routes within a millisecond, under the RTNL lock.
 * Then it releases the lock, waits for an RCU grace period (some 15 ms), frees the memory and only then answers the
 * request ({@code netdev_run_todo} in {@code net/core/dev.c}). So another thread sends the request and waits for the
 * answer, while the caller polls until the link is gone.
 */
final class LinkDeletion {
    /** The most unanswered deletions. Further ones wait. */
    static final int UNFINISHED_MAX = 64;

    private static final Duration PAUSE = Duration.ofNanos(100_000);

    private final LinuxNet net;
    private final Semaphore unfinished = new Semaphore(UNFINISHED_MAX);
    /** They end when they had nothing to do for a minute. */
    private final ExecutorService threads = Executors.newCachedThreadPool(LinkDeletion::daemon);

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
            threads.execute(() -> request(indexes, ended));
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

    private static Thread daemon(Runnable deletions) {
        Thread thread = new Thread(deletions, "link-deletion");
        thread.setDaemon(true);
        return thread;
    }

    /** Uses its own handle, because the caller's is closed before the kernel answers. */
    private void request(List<Integer> indexes, CountDownLatch ended) {
        try (NetworkNamespace own = net.current()) {
            if (indexes.size() == 1) {
                own.deleteLink(indexes.get(0));
            } else {
                own.deleteLinks(indexes);
            }
        } catch (LinuxNetException e) {
            return; // the waiting caller finds the link and gets the kernel's error
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
