package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.traffic.Greeting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes a backend unready and ready again under a load of new connections. It must get no connection once the proxies
 * have synced, no connection may fail, and it must get connections again afterwards.
 */
final class ReadinessCheck {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int CONNECTIONS_AFTER = 200;
    private static final Duration AFTER_MAX = Duration.ofSeconds(20);
    /** The load stops by itself after this time. */
    private static final int CONNECTIONS_MAX = 200_000;

    private final Cluster cluster;
    private final Targets targets;
    private final Checks checks;

    ReadinessCheck(Cluster cluster, Targets targets, Checks checks) {
        this.cluster = cluster;
        this.targets = targets;
        this.checks = checks;
    }

    /** A connection of the load: its start and its result. */
    private record Call(long startNanos, Greeting greeting) {}

    void run(Mode mode, Caller caller, String service, String victim) throws IOException, InterruptedException {
        InetSocketAddress target = targets.of(mode, caller, service, "http").get(0);
        AtomicBoolean stop = new AtomicBoolean();
        List<Call> calls = new ArrayList<>();
        ExecutorService front = Executors.newSingleThreadExecutor();
        try {
            CompletableFuture<Void> load = CompletableFuture.runAsync(() -> load(caller, target, stop, calls), front);
            awaitCalls(calls, CONNECTIONS_AFTER, load);
            Change unready = turn(victim, false);
            awaitCalls(calls, size(calls) + CONNECTIONS_AFTER, load);
            Change ready = turn(victim, true);
            awaitCalls(calls, size(calls) + CONNECTIONS_AFTER, load);
            stop.set(true);
            load.get();
            judge(mode, victim, List.copyOf(calls), unready, ready);
        } catch (ExecutionException e) {
            throw new IOException("load failed: " + e.getMessage(), e);
        } finally {
            stop.set(true);
            front.shutdown();
        }
    }

    /**
     * The time at which the last proxy had programmed a change, and the delay since the change of the EndpointSlices.
     */
    private record Change(long programmedNanos, Duration untilProgrammed) {}

    private Change turn(String pod, boolean ready) throws IOException, InterruptedException {
        PodView victim = cluster.pod(pod);
        InetSocketAddress address = new InetSocketAddress(
                victim.address().toInetAddress(), victim.ports().getOrDefault("http", 0));
        int status =
                cluster.client().call(() -> Greeting.status(address, "POST", ready ? "/ready" : "/unready", LIMIT));
        if (status != 200) {
            throw new IOException("pod " + pod + " refused a change of its readiness: status " + status);
        }
        Optional<Instant> trigger = cluster.awaitReadiness(pod, ready);
        cluster.awaitProgrammed(trigger);
        long programmedNanos = System.nanoTime();
        return new Change(programmedNanos, Duration.between(trigger.orElseThrow(), Instant.now()));
    }

    private void judge(Mode mode, String victim, List<Call> calls, Change unready, Change ready) {
        long before = calls.stream()
                .filter(call -> call.startNanos() < unready.programmedNanos() && answeredBy(call, victim))
                .count();
        List<Call> late = calls.stream()
                .filter(call -> call.startNanos() > unready.programmedNanos()
                        && call.startNanos()
                                < ready.programmedNanos()
                                        - ready.untilProgrammed().toNanos()
                        && answeredBy(call, victim))
                .toList();
        checks.expect(
                mode,
                "a backend that turned unready gets no new connection once the proxies have synced",
                late.isEmpty() && before > 0,
                before + " before, " + late.size() + " after; synced "
                        + unready.untilProgrammed().toMillis() + " ms after the EndpointSlice changed");
        long again = calls.stream()
                .filter(call -> call.startNanos() > ready.programmedNanos() && answeredBy(call, victim))
                .count();
        checks.expect(
                mode, "it gets connections again when it is ready", again > 0, again + " after it was ready again");
        Optional<Call> failed = calls.stream()
                .filter(call -> call.greeting().outcome() != Greeting.Outcome.ANSWERED)
                .findFirst();
        checks.expect(
                mode,
                "no connection fails while backends come and go",
                failed.isEmpty(),
                failed.map(call -> call.greeting().outcome().toString())
                        .orElse(calls.size() + " connections answered"));
    }

    private static boolean answeredBy(Call call, String pod) {
        return call.greeting().pod().equals(pod);
    }

    private static void load(Caller caller, InetSocketAddress target, AtomicBoolean stop, List<Call> calls) {
        try {
            caller.namespace().call(() -> {
                for (int i = 0; i < CONNECTIONS_MAX && !stop.get(); i++) {
                    long start = System.nanoTime();
                    Call call = new Call(start, Greeting.ask(target, LIMIT));
                    synchronized (calls) {
                        calls.add(call);
                        calls.notifyAll();
                    }
                }
                return true;
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int size(List<Call> calls) {
        synchronized (calls) {
            return calls.size();
        }
    }

    private static void awaitCalls(List<Call> calls, int count, CompletableFuture<Void> load)
            throws InterruptedException, IOException {
        long deadline = System.nanoTime() + AFTER_MAX.toNanos();
        synchronized (calls) {
            while (calls.size() < count) {
                if (load.isDone() || System.nanoTime() > deadline) {
                    throw new IOException("load made " + calls.size() + " connections (expected: " + count + ")");
                }
                calls.wait(AFTER_MAX.toMillis() / 100);
            }
        }
    }
}
