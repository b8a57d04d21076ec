package dev.nodepath.emulator.kubelet;

import dev.nodepath.emulator.traffic.PodServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * A container without a command: a server of this process whose sockets are in the Pod's namespace. When it is asked
 * to end, it serves until no client has connected for a while: rules may still lead to it.
 */
final class BuiltInServer implements Container {
    /** The time without a new connection before it ends. */
    static final Duration QUIET = Duration.ofSeconds(2);

    private final AutoCloseable server;
    private final MorePorts morePorts;
    private final LongSupplier connected;
    private final Duration quiet;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final CompletableFuture<Boolean> hurry = new CompletableFuture<>();

    /** Listens on more ports. */
    interface MorePorts {
        void listen(Set<Integer> ports) throws IOException;
    }

    /**
     * A server that listens.
     *
     * @param morePorts listens on the target ports of Services
     * @param connected when the last client connected, as {@link System#nanoTime} says it
     */
    BuiltInServer(AutoCloseable server, MorePorts morePorts, LongSupplier connected, Duration quiet) {
        this.server = server;
        this.morePorts = morePorts;
        this.connected = connected;
        this.quiet = quiet;
    }

    @Override
    public CompletableFuture<Integer> ended() {
        return ended;
    }

    @Override
    public void serve(Set<Integer> ports) throws IOException {
        morePorts.listen(ports);
    }

    @Override
    public void stop(Duration grace) throws InterruptedException {
        if (grace.isZero()) {
            hurry.complete(true);
        } else {
            drain(grace);
        }
        close(0);
    }

    /** Ends by itself with an exit code, as a program does. */
    void exit(int code) {
        close(code);
    }

    /** Serves on. It serves at most for the grace; a later stop without grace ends it at once. */
    private void drain(Duration grace) throws InterruptedException {
        long start = System.nanoTime();
        for (long left = left(start, grace); left > 0 && !awaitHurry(left); ) {
            left = left(start, grace);
        }
    }

    /** Nanoseconds until it ends, if no client connects meanwhile. */
    private long left(long start, Duration grace) {
        long now = System.nanoTime();
        long idle = Math.min(now - start, now - connected.getAsLong());
        return Math.min(quiet.toNanos() - idle, grace.toNanos() - (now - start));
    }

    private boolean awaitHurry(long nanos) throws InterruptedException {
        try {
            return hurry.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a stop that failed", e);
        }
    }

    private void close(int exitCode) {
        try {
            server.close();
        } catch (Exception e) {
            throw new IllegalStateException("the sockets of a " + PodServer.class.getSimpleName() + " stay open", e);
        } finally {
            ended.complete(exitCode);
        }
    }
}
