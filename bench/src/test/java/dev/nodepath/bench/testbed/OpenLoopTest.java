package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a server on the loopback address. */
@Timeout(900)
@Tag("timing")
class OpenLoopTest {
    private static final Duration LENGTH = Duration.ofMillis(500);
    private static final int PER_SECOND = 200;
    private static final int REQUESTS = 100;
    private static final int CONNECTIONS = 2;
    private static final Duration STALL = Duration.ofMillis(300);
    private static final Duration FINISH_MAX = Duration.ofMinutes(5);

    private final AtomicInteger asked = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private volatile int stallAt = -1;
    private volatile int refuseFrom = Integer.MAX_VALUE;

    @BeforeEach
    void startServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            int request = asked.getAndIncrement();
            if (request == stallAt) {
                long end = System.nanoTime() + STALL.toNanos();
                // A thread may go on before its time.
                for (long left = STALL.toNanos(); left > 0; left = end - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            }
            byte[] body = "as long as any other\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(request >= refuseFrom ? 503 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stopServer() throws InterruptedException {
        server.stop(0);
        threads.shutdownNow();
        assertThat(threads.awaitTermination(5, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void sendsEveryRequestThatIsDue() throws IOException {
        OpenLoop.Result result = run();
        assertThat(result.errors()).as(result.firstError()).isZero();
        assertThat(result.answered()).isEqualTo(REQUESTS);
        assertThat(result.latencies().count()).isEqualTo(REQUESTS);
        // And one for each connection, to learn how long an answer is.
        assertThat(asked).hasValue(REQUESTS + CONNECTIONS);
    }

    @Test
    void countsAStallAgainstAllThatWaitedForIt() throws IOException {
        // With one stalled connection and one free, no request waits; with both in one queue, all wait.
        stallAt = CONNECTIONS + 10;
        OpenLoop.Result result = run(1);
        assertThat(result.latencies().count()).isEqualTo(REQUESTS);
        assertThat(result.latencies().millis(100)).isGreaterThanOrEqualTo((double) STALL.toMillis());
        // 60 requests became due meanwhile: a fifth of all waited longer than a third of the stall.
        assertThat(result.latencies().millis(80)).isGreaterThan(STALL.toMillis() / 3.0);
    }

    @Test
    void takesNothingButSuccessForAnAnswer() throws IOException {
        refuseFrom = CONNECTIONS + 10;
        OpenLoop.Result result = run();
        assertThat(result.answered()).isEqualTo(10);
        assertThat(result.answered() + result.errors()).isEqualTo(REQUESTS);
        assertThat(result.latencies().count()).isEqualTo(REQUESTS);
    }

    @Test
    void failsWithoutAServer() {
        server.stop(0);
        assertThatThrownBy(this::run).isInstanceOf(IOException.class);
    }

    private OpenLoop.Result run() throws IOException {
        return run(CONNECTIONS);
    }

    private OpenLoop.Result run(int connections) throws IOException {
        return new OpenLoop(server.getAddress(), connections, PER_SECOND, FINISH_MAX).run(LENGTH);
    }
}
