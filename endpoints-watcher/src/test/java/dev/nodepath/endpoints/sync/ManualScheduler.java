package dev.nodepath.endpoints.sync;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A scheduler whose time stands still until a test moves it; tasks run on the test's thread. */
public final class ManualScheduler implements Scheduler {
    /** Where time starts. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final List<Task> tasks = new ArrayList<>();
    private Duration elapsed = Duration.ZERO;
    private boolean closed;

    private record Task(Duration at, Runnable body) {}

    @Override
    public Instant now() {
        return START.plus(elapsed);
    }

    @Override
    public long nanoTime() {
        return elapsed.toNanos();
    }

    @Override
    public Runnable schedule(Duration delay, Runnable body) {
        Task task = new Task(elapsed.plus(delay), body);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** Lets time pass, and runs each task at its time. */
    public void advance(Duration by) {
        Duration end = elapsed.plus(by);
        for (Optional<Task> next = next(end); next.isPresent(); next = next(end)) {
            Task task = next.get();
            tasks.remove(task);
            elapsed = task.at.compareTo(elapsed) > 0 ? task.at : elapsed;
            task.body.run();
        }
        elapsed = end.compareTo(elapsed) > 0 ? end : elapsed;
    }

    /** Lets time pass inside a task, like work. */
    public void spend(Duration by) {
        elapsed = elapsed.plus(by);
    }

    /** How long it is since the start. */
    public Duration elapsed() {
        return elapsed;
    }

    /** How many tasks wait. */
    public int waiting() {
        return tasks.size();
    }

    @Override
    public void close() {
        closed = true;
        tasks.clear();
    }

    /** Whether it was closed. */
    public boolean isClosed() {
        return closed;
    }

    private Optional<Task> next(Duration end) {
        return tasks.stream().min(Comparator.comparing(Task::at)).filter(task -> task.at.compareTo(end) <= 0);
    }
}
