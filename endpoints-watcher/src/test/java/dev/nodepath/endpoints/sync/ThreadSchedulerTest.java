package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ThreadSchedulerTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @Test
    void closingWaitsForTheTaskThatItInterrupts() throws Exception {
        List<String> ran = new CopyOnWriteArrayList<>();
        CountDownLatch begun = new CountDownLatch(1);
        Scheduler scheduler = new ThreadScheduler("test-sync", InstantSource.system(), Duration.ofMillis(1));
        scheduler.schedule(Duration.ZERO, () -> {
            begun.countDown();
            awaitQuietly(new CountDownLatch(1));
            // As a task does that has to end a command first.
            LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            Thread.interrupted();
            LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            ran.add("ended");
        });
        assertThat(begun.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        scheduler.close();
        assertThat(ran).containsExactly("ended");
    }

    @Test
    void runsTasksInTheOrderInWhichTheyAreDueOnItsOwnThread() throws Exception {
        List<String> ran = new CopyOnWriteArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        try (Scheduler scheduler = new ThreadScheduler("test-sync", InstantSource.system())) {
            CountDownLatch scheduled = new CountDownLatch(1);
            // Holds the thread, so that however slow this one is all are waiting when the first may run.
            scheduler.schedule(Duration.ZERO, () -> awaitQuietly(scheduled));
            // Long after the others, however late this thread asks for them.
            scheduler.schedule(Duration.ofSeconds(2), done::countDown);
            scheduler.schedule(Duration.ofMillis(30), () -> ran.add("later"));
            scheduler
                    .schedule(Duration.ofMillis(20), () -> ran.add("cancelled"))
                    .run();
            scheduler.schedule(
                    Duration.ZERO, () -> ran.add(Thread.currentThread().getName()));
            scheduled.countDown();
            assertThat(done.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(ran).containsExactly("test-sync", "later");
    }

    @Test
    void closingWaitsForTheTaskThatRunsAndDropsTheOthers() throws Exception {
        List<String> ran = new CopyOnWriteArrayList<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Scheduler scheduler = new ThreadScheduler("test-sync", InstantSource.system());
        scheduler.schedule(Duration.ofHours(1), () -> ran.add("dropped"));
        scheduler.schedule(Duration.ZERO, () -> {
            begun.countDown();
            try {
                mayEnd.await();
                ran.add("ended");
            } catch (InterruptedException e) {
                ran.add("interrupted");
            }
        });
        assertThat(begun.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        Thread closer = new Thread(scheduler::close);
        closer.start();
        mayEnd.countDown();
        closer.join(LIMIT.toMillis());

        assertThat(closer.isAlive()).isFalse();
        assertThat(ran).containsExactly("ended");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
