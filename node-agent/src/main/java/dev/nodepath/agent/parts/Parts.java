package dev.nodepath.agent.parts;

import dev.nodepath.linux.time.BackOff;
import dev.nodepath.linux.time.WaitClock;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs parts. A failed part restarts after a wait, see {@link #RETRY}. After it has been up for {@link #STEADY}, the next failure counts as the first. A failure
 * does not affect other parts.
 */
public final class Parts implements AutoCloseable {
    /** The longest waits; each is shortened at random. */
    static final BackOff RETRY = new BackOff(Duration.ofMillis(500), Duration.ofSeconds(10));

    /** How long a part has to be up for its failures to be forgotten. */
    public static final Duration STEADY = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

    private final WaitClock time;
    private final RandomGenerator random;
    private final PartListener listener;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, PartState> states = new TreeMap<>();

    /**
     * Runs nothing yet.
     *
     * @param random spreads waits; several threads use it, which java.util.Random allows
     */
    public Parts(WaitClock time, RandomGenerator random, PartListener listener) {
        this.time = time;
        this.random = random;
        this.listener = listener;
    }

    /** Begins a part. */
    public synchronized void start(Part part) {
        states.put(part.name(), PartState.NEW);
        Thread thread = new Thread(() -> supervise(part), part.name());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** The state of each part, by name. */
    public synchronized Map<String, PartState> states() {
        return Map.copyOf(states);
    }

    /** Whether a part is up; false if it was never started. */
    public synchronized boolean isUp(String part) {
        return states.getOrDefault(part, PartState.NEW).up();
    }

    /** Stops all parts at once and waits for them, each for its own limit. */
    @Override
    public void close() {
        stop.countDown();
        List<Thread> all;
        synchronized (this) {
            all = List.copyOf(threads);
        }
        try {
            for (Thread thread : all) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void supervise(Part part) {
        int failures = 0;
        try {
            while (stop.getCount() > 0) {
                Run run = new Run(part.name());
                try {
                    part.run(run);
                    if (stop.getCount() > 0) {
                        throw new IllegalStateException("ended without being told to");
                    }
                } catch (InterruptedException e) {
                    throw e;
                } catch (Throwable e) {
                    if (stop.getCount() == 0) {
                        LOG.atWarn()
                                .addKeyValue("part", part.name())
                                .setCause(e)
                                .log("agent.part_stop_failed");
                        return;
                    }
                    failures = run.wasSteady() ? 1 : failures + 1;
                    Duration wait = RETRY.after(failures, random);
                    failed(part.name(), e, wait);
                    time.await(stop, wait);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(String part, Throwable error, Duration wait) {
        synchronized (this) {
            PartState before = states.getOrDefault(part, PartState.NEW);
            states.put(part, new PartState(false, before.failures() + 1, explain(error)));
        }
        try {
            listener.failed(part, error, wait);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("agent.part_listener_failed");
        }
    }

    private synchronized void set(String part, boolean up, String problem) {
        states.put(
                part, new PartState(up, states.getOrDefault(part, PartState.NEW).failures(), problem));
    }

    /** The text of a failure; with the class for exceptions that are not ours. */
    public static String explain(Throwable error) {
        String message = error.getMessage();
        boolean told = error instanceof IOException && !(error instanceof FileSystemException);
        return message != null && (told || isOwn(error)) ? message : error.toString();
    }

    private static boolean isOwn(Throwable error) {
        return error.getClass().getName().startsWith("dev.nodepath.");
    }

    /** One run of a part; any of its threads may report its state. */
    private final class Run implements Running {
        private final String part;
        private long upSince;
        private boolean isUp;

        Run(String part) {
            this.part = part;
        }

        @Override
        public synchronized void up() {
            if (!isUp) {
                isUp = true;
                upSince = time.nanos();
            }
            set(part, true, "");
        }

        @Override
        public synchronized void waiting(String reason) {
            isUp = false;
            set(part, false, reason);
        }

        @Override
        public boolean awaitStop(Duration limit) throws InterruptedException {
            return time.await(stop, limit);
        }

        synchronized boolean wasSteady() {
            return isUp && time.nanos() - upSince >= STEADY.toNanos();
        }
    }
}
