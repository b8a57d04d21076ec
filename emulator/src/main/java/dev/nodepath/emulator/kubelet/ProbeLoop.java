package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.time.BackOff;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tries a probe again and again, and reports enough successes or failures in a row.
 *
 * <p>Until the first success it tries more often than the period, as a Pod of the emulator starts in milliseconds.
 * Failures still count once a period. A try that ends with an exception has no
 * result, as with a kubelet.
 */
final class ProbeLoop implements AutoCloseable {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

    private final ProbeSpec spec;
    private final Supplier<Optional<String>> attempt;
    private final Consumer<String> told;
    private final BiConsumer<ProbeLoop, Boolean> verdict;
    private final ScheduledExecutorService timers;
    private int successes;
    private int failures;
    private int tries;
    private long failureCountedAt;
    private boolean passed;
    private boolean closed;

    /**
     * A loop that has not begun.
     *
     * @param attempt one try, on a thread of the timers; why it failed, or empty
     * @param told gets a kubelet's message, once for each failure that counts and for each try without a result; the
     *     first failure before any success is left out, as every server takes a moment to listen
     * @param verdict gets this loop, and true after enough successes or false after enough failures, when the verdict
     *     is new; the loop may have been closed meanwhile
     */
    ProbeLoop(
            ProbeSpec spec,
            Supplier<Optional<String>> attempt,
            Consumer<String> told,
            BiConsumer<ProbeLoop, Boolean> verdict,
            ScheduledExecutorService timers) {
        this.spec = spec;
        this.attempt = attempt;
        this.told = told;
        this.verdict = verdict;
        this.timers = timers;
    }

    void start() {
        schedule(spec.initialDelay());
    }

    /** Tries at once, beside the period, and takes the result as the verdict. */
    void tryNow() {
        submit(
                () -> attempt(problem -> {
                    synchronized (this) {
                        successes = problem.isEmpty() ? spec.successThreshold() : 0;
                        failures = problem.isEmpty() ? 0 : spec.failureThreshold();
                    }
                    problem.ifPresent(this::tellFailure);
                    judge();
                }),
                Duration.ZERO);
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    /** Tries. Returns whether there is a result. */
    private boolean attempt(Consumer<Optional<String>> result) {
        Optional<String> problem;
        try {
            problem = attempt.get();
        } catch (RuntimeException e) {
            tell("errored and resulted in unknown state: " + e.getMessage());
            return false;
        }
        result.accept(problem);
        return true;
    }

    private void schedule(Duration wait) {
        submit(
                () -> {
                    boolean known = attempt(problem -> {
                        if (count(problem.isEmpty())) {
                            problem.ifPresent(this::tellFailure);
                        }
                        judge();
                    });
                    schedule(known ? pause() : spec.period());
                },
                wait);
    }

    private void submit(Runnable task, Duration wait) {
        try {
            var unused = timers.schedule(
                    () -> {
                        if (!isClosed()) {
                            task.run();
                        }
                    },
                    wait.toMillis(),
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The node ends.
            close();
        }
    }

    /** Whether its verdicts do not count any more. */
    synchronized boolean isClosed() {
        return closed;
    }

    private void tellFailure(String problem) {
        tell("failed: " + problem);
    }

    private void tell(String what) {
        if (!isClosed()) {
            told.accept(what);
        }
    }

    /** Counts a result; returns whether it is a failure to report. */
    private synchronized boolean count(boolean success) {
        tries++;
        if (success) {
            successes++;
            failures = 0;
            return false;
        }
        successes = 0;
        long now = System.nanoTime();
        if (failures == 0 || now - failureCountedAt >= spec.period().toNanos()) {
            failures++;
            failureCountedAt = now;
            return passed || failures > 1 || failures >= spec.failureThreshold();
        }
        return false;
    }

    private void judge() {
        boolean news = false;
        boolean result = false;
        synchronized (this) {
            if (!closed && successes >= spec.successThreshold() && !passed) {
                passed = true;
                news = true;
                result = true;
            } else if (!closed && failures >= spec.failureThreshold()) {
                // Each further failure is new too: the listener that restarts a container needs it again.
                passed = false;
                news = true;
            }
        }
        if (news) {
            verdict.accept(this, result);
        }
    }

    private synchronized Duration pause() {
        return passed ? spec.period() : new BackOff(FIRST_PAUSE, spec.period()).after(tries);
    }
}
