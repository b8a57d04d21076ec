package dev.nodepath.bench.paths;

import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.RunningContender;
import dev.nodepath.emulator.traffic.Greeting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Measures how long an endpoint that turned unready still gets new connections. */
final class Readiness {
    private static final String SERVICE = "ready";
    private static final String CLUSTER_IP = "10.96.0.11";
    private static final List<ApiObject.Port> PORTS =
            List.of(new ApiObject.Port("http", "TCP", 80, ContenderNode.HTTP));
    private static final int CLIENTS = 2;
    private static final Duration ASK_MAX = Duration.ofSeconds(2);
    /** Longer than the shortest time between two syncs: the last change may have started it. */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(1_100);

    private static final long CHANGE_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final RunningContender contender;
    private final InetSocketAddress target = ContenderAddress.at(CLUSTER_IP, 80);
    /** The start of the last connection that the second endpoint answered; {@link System#nanoTime}. */
    private final AtomicLong lastSeen = new AtomicLong(System.nanoTime() - CHANGE_NANOS_MAX);

    private volatile boolean stop;

    private Readiness(RunningContender contender) {
        this.contender = contender;
    }

    /**
     * Milliseconds from the event at the API server to the start of the last connection to the unready endpoint.
     *
     * @throws IOException if the endpoint does not get connections, or does not lose them, within 10 s
     */
    static double millis(RunningContender contender) throws IOException, InterruptedException {
        return new Readiness(contender).measure();
    }

    private double measure() throws IOException, InterruptedException {
        contender.apiServer().put(ApiObject.service(SERVICE, CLUSTER_IP, PORTS));
        contender
                .apiServer()
                .put(ApiObject.slice(
                        SERVICE, List.of(ContenderNode.SERVER, ContenderNode.SECOND_SERVER), List.of(), PORTS));
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            long begin = System.nanoTime();
            for (int i = 0; i < CLIENTS; i++) {
                clients.execute(this::connect);
            }
            await(begin, "no connection to an endpoint that is ready", () -> lastSeen.get() > begin);
            awaitQuietSync();
            long event = System.nanoTime();
            contender
                    .apiServer()
                    .put(ApiObject.slice(
                            SERVICE, List.of(ContenderNode.SERVER), List.of(ContenderNode.SECOND_SERVER), PORTS));
            await(
                    event,
                    "connections to an endpoint that is not ready",
                    () -> System.nanoTime() - Math.max(event, lastSeen.get()) > QUIET_NANOS);
            return Math.max(0, lastSeen.get() - event) / 1e6;
        } finally {
            stop = true;
            clients.shutdown();
            clients.awaitTermination(2 * ASK_MAX.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** The sync of the previous change has ended, so it does not delay this one. */
    private void awaitQuietSync() throws InterruptedException {
        long until = System.nanoTime() + QUIET_NANOS;
        while (System.nanoTime() < until) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(long since, String otherwise, Condition condition)
            throws IOException, InterruptedException {
        while (!condition.holds()) {
            if (System.nanoTime() - since > CHANGE_NANOS_MAX) {
                throw new IOException(otherwise + " for 10 s");
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private void connect() {
        try {
            contender.lane().client().call(() -> {
                while (!stop) {
                    long start = System.nanoTime();
                    if (Greeting.ask(target, ASK_MAX).pod().equals(ContenderNode.SECOND_SERVER)) {
                        lastSeen.accumulateAndGet(start, Math::max);
                    }
                }
                return true;
            });
        } catch (IOException e) {
            // If there are no connections, the wait for the first one reports it.
            stop = true;
        }
    }
}
