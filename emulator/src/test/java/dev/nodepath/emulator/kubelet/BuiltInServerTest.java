package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BuiltInServerTest {
    private static final Duration QUIET = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final ExecutorService background = Executors.newCachedThreadPool();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean busy = new AtomicBoolean(true);
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong connected = new AtomicLong(System.nanoTime());

    private BuiltInServer server(Duration quiet) {
        return new BuiltInServer(() -> closed.set(true), ports -> {}, this::connected, quiet);
    }

    /** While it is busy, a client has always connected just now. */
    private long connected() {
        asked.incrementAndGet();
        if (busy.get()) {
            connected.set(System.nanoTime());
        }
        return connected.get();
    }

    private Future<?> stop(BuiltInServer server, Duration grace) {
        return background.submit(() -> {
            server.stop(grace);
            return null;
        });
    }

    @AfterEach
    void end() {
        background.shutdownNow();
    }

    @Test
    void servesUntilNobodyConnects() throws Exception {
        BuiltInServer server = server(QUIET);
        Future<?> stopped = stop(server, LONG);
        Eventually.isTrue("it looks again and again", () -> asked.get() > 3);
        assertThat(closed).isFalse();

        busy.set(false);

        stopped.get();
        assertThat(closed).isTrue();
        assertThat(server.ended()).isCompletedWithValue(0);
    }

    @Test
    void endsWithItsGraceHoweverBusyItIs() throws Exception {
        stop(server(LONG), QUIET).get();

        assertThat(closed).isTrue();
    }

    @Test
    void aStopWithoutGraceEndsItAtOnce() throws Exception {
        BuiltInServer server = server(LONG);
        Future<?> stopped = stop(server, LONG);
        Eventually.isTrue("it serves on", () -> asked.get() > 0);

        server.stop(Duration.ZERO);

        stopped.get();
        assertThat(closed).isTrue();
    }
}
