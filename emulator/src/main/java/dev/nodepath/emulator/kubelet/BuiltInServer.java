package dev.nodepath.emulator.kubelet;

import dev.nodepath.emulator.traffic.PodServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A container without a command: a server of this process whose sockets are in the Pod's namespace. When it is asked to
 * end it serves for a while longer: until then rules everywhere lead to it.
 */
final class BuiltInServer implements Container {
    private static final Duration DRAIN_MAX = Duration.ofSeconds(2);

    private final AutoCloseable server;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final CompletableFuture<Boolean> hurry = new CompletableFuture<>();

    BuiltInServer(AutoCloseable server) {
        this.server = server;
    }

    @Override
    public CompletableFuture<Integer> ended() {
        return ended;
    }

    @Override
    public void stop(Duration grace) throws InterruptedException {
        if (grace.isZero()) {
            hurry.complete(true);
        } else {
            long millis = Math.min(grace.toMillis(), DRAIN_MAX.toMillis());
            awaitHurry(millis);
        }
        close();
    }

    private void awaitHurry(long millis) throws InterruptedException {
        try {
            hurry.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // The time is over.
            return;
        }
    }

    private void close() {
        try {
            server.close();
        } catch (Exception e) {
            throw new IllegalStateException("the sockets of a " + PodServer.class.getSimpleName() + " stay open", e);
        } finally {
            ended.complete(0);
        }
    }
}
