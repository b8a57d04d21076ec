package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends HTTP requests at a fixed rate over kept-alive connections, however slow the answers are. Run it on a thread
 * inside the client's namespace.
 *
 * <p>One thread sends and reads. It sleeps {@value #REST_NANOS} ns between two polls. It must not spin, as the
 * measured processes share its processors. So each latency may be too long by that time, for every contender alike.
 */
public final class OpenLoop {
    private static final long REST_NANOS = 20_000;
    private static final long LATENCY_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final Duration FINISH_MAX = Duration.ofSeconds(2);

    private final InetSocketAddress target;
    private final int connections;
    private final double perSecond;
    private final Duration finishMax;
    private final Deque<OpenLoopConnection> idle = new ArrayDeque<>();
    private long answered;
    private long errors;
    private String firstError = "";

    /** Requests to a target at a rate; as many as there are connections may be under way at once. */
    public OpenLoop(InetSocketAddress target, int connections, double perSecond) {
        this(target, connections, perSecond, FINISH_MAX);
    }

    /**
     * As above.
     *
     * @param finishMax how long after the last request was due one without an answer is given up
     */
    OpenLoop(InetSocketAddress target, int connections, double perSecond, Duration finishMax) {
        this.target = target;
        this.connections = connections;
        this.perSecond = perSecond;
        this.finishMax = finishMax;
    }

    /**
     * The results.
     *
     * @param answered requests with a complete answer
     * @param errors connections that failed, and requests that were given up
     * @param firstError the first error; empty if there was none
     * @param latencies of all requests that were due, each from when it was due
     */
    public record Result(long answered, long errors, String firstError, OpenLoopLatencies latencies) {}

    /**
     * Sends for this long and waits for the answers.
     *
     * @throws IOException if a connection cannot be opened
     */
    public Result run(Duration length) throws IOException {
        shortenTimerSlack();
        List<OpenLoopConnection> all = new ArrayList<>();
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < connections; i++) {
                all.add(new OpenLoopConnection(target, selector));
            }
            idle.addAll(all);
            long start = System.nanoTime();
            long requests = Math.max(1, (long) (perSecond * length.toNanos() / 1e9));
            OpenLoopLatencies schedule = new OpenLoopLatencies(start, perSecond, requests, LATENCY_MAX_NANOS);
            loop(selector, schedule, start + length.toNanos() + finishMax.toNanos());
            long end = System.nanoTime();
            for (OpenLoopConnection connection : all) {
                if (connection.isBusy()) {
                    schedule.answered(connection.dueNanos(), end);
                    fail("no answer");
                }
            }
            long never = schedule.giveUp(end);
            if (never > 0) {
                fail("not sent in time");
                errors += never - 1;
            }
            return new Result(answered, errors, firstError, schedule);
        } finally {
            all.forEach(OpenLoopConnection::close);
        }
    }

    private void loop(Selector selector, OpenLoopLatencies schedule, long deadline) throws IOException {
        int open = connections;
        long now = System.nanoTime();
        while (now < deadline && open > 0) {
            while (!idle.isEmpty() && schedule.nanosUntilDue(now) <= 0) {
                open -= send(idle.remove(), schedule) ? 0 : 1;
            }
            long untilDue = schedule.nanosUntilDue(now);
            if (untilDue == Long.MAX_VALUE && idle.size() == open) {
                return;
            }
            if (idle.isEmpty() || untilDue == Long.MAX_VALUE) {
                // Nothing to send before an answer comes.
                selector.select(10);
            } else if (selector.selectNow() == 0) {
                LockSupport.parkNanos(Math.min(REST_NANOS, untilDue));
            }
            long received = System.nanoTime();
            for (SelectionKey key : selector.selectedKeys()) {
                open -= receive((OpenLoopConnection) key.attachment(), schedule, received) ? 0 : 1;
            }
            selector.selectedKeys().clear();
            now = System.nanoTime();
        }
    }

    private boolean send(OpenLoopConnection connection, OpenLoopLatencies schedule) {
        try {
            connection.send(schedule.take());
            return true;
        } catch (IOException e) {
            return lost(connection, schedule, System.nanoTime(), e);
        }
    }

    private boolean receive(OpenLoopConnection connection, OpenLoopLatencies schedule, long now) {
        try {
            if (connection.receive()) {
                answered++;
                schedule.answered(connection.dueNanos(), now);
                idle.add(connection);
            }
            return true;
        } catch (IOException e) {
            return lost(connection, schedule, now, e);
        }
    }

    /** A failed connection is not opened again: its request was never answered. */
    private boolean lost(OpenLoopConnection connection, OpenLoopLatencies schedule, long now, IOException e) {
        if (connection.isBusy()) {
            schedule.answered(connection.dueNanos(), now);
        }
        idle.remove(connection);
        connection.close();
        fail(String.valueOf(e.getMessage()));
        return false;
    }

    private void fail(String error) {
        errors++;
        if (firstError.isEmpty()) {
            firstError = error;
        }
    }

    /** Makes sleeps precise. By default the kernel adds 50 us to every sleep of a thread (proc(5), timerslack_ns). */
    private static void shortenTimerSlack() throws IOException {
        Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
        Files.writeString(Path.of("/proc").resolve(thread).resolve("timerslack_ns"), "1000");
    }
}
