package dev.nodepath.image;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Clients that continue until they are stopped: kept connections, and a new connection for each request. */
final class ClientTraffic implements AutoCloseable {
    private static final long PAUSE_NANOS = 10_000_000;

    /** The pause of a kept connection: it only has to stay alive, and there are dozens. */
    private static final long KEPT_PAUSE_NANOS = 50_000_000;

    /** A kept connection may be silent for this long during an outage. */
    private static final int OUTAGE_MILLIS_MAX = 30_000;

    private final List<Thread> threads = new ArrayList<>();
    private final List<Failure> lost = new CopyOnWriteArrayList<>();
    private final List<Failure> refused = new CopyOnWriteArrayList<>();
    private final AtomicLong lines = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();

    /** The number of lines that have come back, for each kept connection. */
    private final List<AtomicLong> back = new CopyOnWriteArrayList<>();

    private volatile boolean ended;

    /** An unexpected event; the time of a request is its start. */
    record Failure(long nanos, String what) {}

    /** Opens a connection on which lines go back and forth; returns when the first line has come back. */
    void keep(Pod client, IpAddress address, int port) throws IOException {
        Socket socket = client.connect(address, port);
        socket.setSoTimeout(OUTAGE_MILLIS_MAX);
        BufferedReader in = Pod.reader(socket);
        String server = in.readLine();
        exchange(socket, in, "first");
        String what = client.name() + " to " + address + " (" + server + ")";
        AtomicLong cameBack = new AtomicLong();
        back.add(cameBack);
        threads.add(Pod.start("keep-" + client.name(), () -> {
            try (socket) {
                while (!ended) {
                    exchange(socket, in, "line " + lines.incrementAndGet());
                    cameBack.incrementAndGet();
                    LockSupport.parkNanos(KEPT_PAUSE_NANOS);
                }
            } catch (IOException e) {
                lost.add(new Failure(System.nanoTime(), what + ": " + e));
            }
        }));
    }

    /** Makes new connections one after another. */
    void request(Pod client, IpAddress address, int port) {
        threads.add(Pod.start("request-" + client.name(), () -> {
            while (!ended) {
                long begun = System.nanoTime();
                try {
                    client.ask(address, port);
                    requests.incrementAndGet();
                } catch (IOException e) {
                    refused.add(new Failure(begun, client.name() + " to " + address + ": " + e));
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }));
    }

    /** Kept connections that were lost. */
    List<Failure> lost() {
        return List.copyOf(lost);
    }

    /** Failed requests that began after this time. */
    List<Failure> refusedSince(long nanos) {
        return refused.stream().filter(failure -> failure.nanos() - nanos >= 0).toList();
    }

    /**
     * Waits until so many further requests and lines have succeeded, some on every kept connection, so that a change
     * has had time to show.
     */
    void awaitMore(int count) {
        long requestsWanted = requests.get() + count;
        long linesWanted = lines.get() + count;
        // One line may have been under way before.
        List<Long> backWanted = back.stream().map(each -> each.get() + 2).toList();
        Eventually.isTrue(
                Duration.ofMinutes(1),
                () -> "more traffic; lost: " + lost + " refused: " + refused,
                () -> requests.get() >= requestsWanted && lines.get() >= linesWanted && haveCome(backWanted));
    }

    /** Whether so many lines have come back on each living kept connection. */
    private boolean haveCome(List<Long> wanted) {
        if (!lost.isEmpty()) {
            return true;
        }
        for (int i = 0; i < wanted.size(); i++) {
            if (back.get(i).get() < wanted.get(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        ended = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void exchange(Socket socket, BufferedReader in, String line) throws IOException {
        Pod.write(socket, line);
        String back = in.readLine();
        if (!line.equals(back)) {
            throw new IOException("\"" + back + "\" (expected: \"" + line + "\")");
        }
    }
}
