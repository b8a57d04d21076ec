package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * New connections from outside to the pods of one node, about a hundred each second, in turns to its node port and to
 * a load balancer's address that leads to it. It leaves the node as a load balancer does: some calls after the health
 * check failed first.
 */
final class NodeLoad implements AutoCloseable {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration CHECK_PERIOD = Duration.ofMillis(100);
    private static final int CALLS_AFTER_FAILED_CHECK = 20;

    private final String node;
    private final InetSocketAddress healthCheck;
    private final List<InetSocketAddress> targets;
    private final List<String> failures = new ArrayList<>();
    private final Map<String, Long> lastAnswers = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean stopped;
    private boolean taken;
    private int callsUntilLeft;
    private long calls;
    private long callStart;

    private NodeLoad(String node, InetSocketAddress healthCheck, List<InetSocketAddress> targets) {
        this.node = node;
        this.healthCheck = healthCheck;
        this.targets = targets;
    }

    /** Starts it; it makes no call before the health check of the node has passed. */
    static NodeLoad start(
            String node, NetworkNamespace client, InetSocketAddress healthCheck, List<InetSocketAddress> targets) {
        NodeLoad load = new NodeLoad(node, healthCheck, targets);
        load.run("calls-" + node, client, load::call, PAUSE);
        load.run("checks-" + node, client, load::check, CHECK_PERIOD);
        return load;
    }

    String node() {
        return node;
    }

    /** The result of each call without an answer of a pod of the node. */
    synchronized List<String> failures() {
        return List.copyOf(failures);
    }

    /** When the last call that this pod answered was begun, by {@link System#nanoTime}; 0 if there was none. */
    synchronized long lastAnswerOf(String pod) {
        return lastAnswers.getOrDefault(pod, 0L);
    }

    /** Waits until the load balancer sends connections to the node, or does not any more. */
    void awaitTaken(boolean expected) throws InterruptedException {
        await(expected ? "node taken" : "node left", () -> taken == expected);
    }

    /** Waits until this pod has answered. */
    void awaitAnswerOf(String pod) throws InterruptedException {
        await("answer of " + pod, () -> lastAnswers.containsKey(pod));
    }

    /** Waits until every call has ended that was begun until now, and some others have if there are any. */
    void awaitCalls() throws InterruptedException {
        long now = System.nanoTime();
        long enough = calls() + CALLS_AFTER_FAILED_CHECK;
        await("end of calls", () -> (callStart == 0 || callStart > now) && (!taken || calls >= enough));
    }

    private synchronized long calls() {
        return calls;
    }

    private interface Condition {
        boolean holds();
    }

    private synchronized void await(String what, Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no " + what + " within " + LIMIT.toSeconds() + " s: " + this);
            }
            wait(CHECK_PERIOD.toMillis());
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            stopped = true;
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run(String name, NetworkNamespace client, Runnable work, Duration pause) {
        Thread thread = new Thread(
                () -> {
                    try {
                        client.call(() -> {
                            while (!isStopped()) {
                                work.run();
                                LockSupport.parkNanos(pause.toNanos());
                            }
                            return true;
                        });
                    } catch (LinuxNetException e) {
                        throw new UncheckedIOException(new IOException(e));
                    }
                },
                name);
        threads.add(thread);
        thread.start();
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    private void check() {
        boolean healthy = Greeting.status(healthCheck, "GET", "/", ANSWER_MAX) == 200;
        synchronized (this) {
            if (healthy) {
                taken = true;
                callsUntilLeft = 0;
            } else if (taken && callsUntilLeft == 0) {
                callsUntilLeft = CALLS_AFTER_FAILED_CHECK;
            }
            notifyAll();
        }
    }

    private void call() {
        long start = System.nanoTime();
        InetSocketAddress target;
        synchronized (this) {
            if (!taken) {
                return;
            }
            callStart = start;
            target = targets.get((int) (calls % targets.size()));
        }
        Greeting greeting = Greeting.ask(target, ANSWER_MAX);
        synchronized (this) {
            callStart = 0;
            calls++;
            if (greeting.pod().startsWith("web-" + node + "-")) {
                lastAnswers.put(greeting.pod(), start);
            } else {
                failures.add("call " + calls + " to " + target + ": " + greeting);
            }
            if (callsUntilLeft > 0 && --callsUntilLeft == 0) {
                taken = false;
            }
            notifyAll();
        }
    }

    @Override
    public synchronized String toString() {
        return node + ": " + calls + " calls, " + lastAnswers.size() + " pods, failed: " + failures;
    }
}
