package dev.nodepath.emulator.traffic;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A closed-loop HTTP client on one thread: each of its connections has one request under way, and sends the next when
 * the answer is complete. It must run on a thread inside the client's namespace, as it opens its sockets while it
 * runs.
 */
public final class HttpLoad {
    private static final long LATENCY_MAX_NANOS = Duration.ofSeconds(30).toNanos();
    private static final int DIGITS = 3;
    /** A request without an answer this long after the end counts as hung. */
    private static final Duration FINISH_MAX = Duration.ofSeconds(5);

    private static final Duration POLL = Duration.ofMillis(50);

    private final List<InetSocketAddress> targets;
    private final int connections;
    private final boolean keepAlive;

    /**
     * A load.
     *
     * @param targets called in turn, by connection
     * @param connections how many at once
     * @param keepAlive whether a connection carries many requests, or just one, closed by the server
     */
    public HttpLoad(List<InetSocketAddress> targets, int connections, boolean keepAlive) {
        this.targets = List.copyOf(targets);
        this.connections = connections;
        this.keepAlive = keepAlive;
    }

    /**
     * What was measured.
     *
     * @param requests answered completely with status 200
     * @param errors connections that were refused, cut, answered otherwise, or still unanswered long after the end
     * @param firstError the first error; empty if there was none
     * @param elapsed the measured time
     * @param latency in nanoseconds, from the first byte sent, or from the connect where each request has a connection
     */
    public record Result(long requests, long errors, String firstError, Duration elapsed, Histogram latency) {
        /** Requests answered in a second. */
        public double perSecond() {
            return requests * 1e9 / elapsed.toNanos();
        }

        /** A percentile of the latency, in microseconds. */
        public double latencyMicros(double percentile) {
            return latency.getValueAtPercentile(percentile) / 1e3;
        }
    }

    /**
     * Runs for this long, and {@code FINISH_MAX} longer while there is no answer; requests that are under way at the
     * end are not counted.
     *
     * @throws IOException if no socket can be opened
     */
    public Result run(Duration length) throws IOException {
        Histogram latency = new Histogram(LATENCY_MAX_NANOS, DIGITS);
        List<HttpExchange> exchanges = new ArrayList<>();
        try (Selector selector = Selector.open()) {
            long start = System.nanoTime();
            long deadline = start + length.toNanos();
            for (int i = 0; i < connections; i++) {
                HttpExchange exchange = new HttpExchange(targets.get(i % targets.size()), keepAlive, selector, latency);
                exchanges.add(exchange);
                exchange.connect();
            }
            long firstAnswerMax = deadline + FINISH_MAX.toNanos();
            while (System.nanoTime() < (latency.getTotalCount() > 0 ? deadline : firstAnswerMax)) {
                selector.select(key -> ((HttpExchange) key.attachment()).proceed(key), POLL.toMillis());
            }
            Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
            exchanges.forEach(HttpExchange::finish);
            long lastMoment = System.nanoTime() + FINISH_MAX.toNanos();
            while (exchanges.stream().anyMatch(HttpExchange::isBusy) && System.nanoTime() < lastMoment) {
                selector.select(key -> ((HttpExchange) key.attachment()).proceed(key), POLL.toMillis());
            }
            long errors = 0;
            String firstError = "";
            for (HttpExchange exchange : exchanges) {
                errors += exchange.errors() + (exchange.isBusy() ? 1 : 0);
                String error = exchange.isBusy() ? "no answer" : exchange.firstError();
                firstError = firstError.isEmpty() ? error : firstError;
            }
            return new Result(latency.getTotalCount(), errors, firstError, elapsed, latency);
        } finally {
            exchanges.forEach(HttpExchange::close);
        }
    }
}
