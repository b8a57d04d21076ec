package dev.nodepath.emulator.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs an action for many items at once. */
final class ConcurrentWork {
    /** After a failure, how long the actions that have begun may take. */
    private static final Duration ENDING_MAX = Duration.ofMinutes(2);

    private ConcurrentWork() {}

    /** An action for an item. */
    interface Work<T> {
        void run(T item) throws IOException, InterruptedException;
    }

    /**
     * Runs an action for all items, several at once, as a container runtime starts pods. The first failure is thrown
     * when all have ended.
     */
    static <T> void forEach(Work<T> work, List<T> items, int atOnce) throws IOException, InterruptedException {
        ExecutorService workers = Executors.newFixedThreadPool(atOnce);
        try {
            List<Future<Boolean>> results = new ArrayList<>();
            for (T item : items) {
                results.add(workers.submit(() -> {
                    work.run(item);
                    return true;
                }));
            }
            for (Future<Boolean> result : results) {
                result.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("work failed: " + e.getMessage(), e);
        } finally {
            workers.shutdown();
            if (!workers.awaitTermination(ENDING_MAX.toSeconds(), TimeUnit.SECONDS)) {
                workers.shutdownNow();
            }
        }
    }
}
