package dev.nodepath.agent.daemon;

import dev.nodepath.linux.Repetitions;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The work of clients and servers during a test, each on a thread of its own, and its failures. */
final class BackgroundTraffic implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(Repetitions.of(10, 0));

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean over;

    /** The work of one of them until the end. */
    interface Work {
        void run() throws IOException;
    }

    /** Begins the work; the exception that ends it is noted, unless it is that of a closed socket. */
    void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (SocketException e) {
                        // Closed by the test, or visible at the clients.
                    } catch (IOException e) {
                        failed(e);
                    }
                },
                "traffic");
        thread.setDaemon(true);
        synchronized (threads) {
            threads.add(thread);
        }
        thread.start();
    }

    /** Whether all work is to end. */
    boolean isOver() {
        return over;
    }

    /** Whether a client continues, after a pause: without one it would take the processors from the server. */
    boolean goesOn() {
        LockSupport.parkNanos(PAUSE_NANOS);
        return !over;
    }

    /** Notes something that must not be, unless it is over. */
    void failed(Exception problem) {
        if (!over) {
            failures.add(problem.toString());
        }
    }

    /** The noted failures, the oldest first. */
    Queue<String> failures() {
        return failures;
    }

    /** Waits for everybody's end, which closing their sockets may bring about. */
    void join() throws InterruptedException {
        List<Thread> all;
        synchronized (threads) {
            all = List.copyOf(threads);
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    @Override
    public void close() {
        over = true;
        synchronized (threads) {
            threads.forEach(Thread::interrupt);
        }
    }
}
