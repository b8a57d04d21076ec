package dev.nodepath.controllers.object;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keys that are due now, in the order of their arrival, and keys that are due later. Each key is there once.
 * Thread-safe.
 */
final class WorkQueue {
    /** The longest sleep between two looks at the clock, which may be set meanwhile. */
    private static final Duration SLEEP_MAX = Duration.ofSeconds(1);

    record Item(Controller controller, ObjectKey key) {}

    private record Delayed(Item item, Instant due, long number) {}

    private final InstantSource clock;
    private final LinkedHashSet<Item> ready = new LinkedHashSet<>();
    private final TreeSet<Delayed> later =
            new TreeSet<>(Comparator.comparing(Delayed::due).thenComparing(Delayed::number));
    private final Map<Item, Delayed> delays = new HashMap<>();
    private long number;

    WorkQueue(InstantSource clock) {
        this.clock = clock;
    }

    /** The queue of one controller. */
    KeyQueue of(Controller controller) {
        return new KeyQueue() {
            @Override
            public void add(ObjectKey key) {
                addNow(new Item(controller, key));
            }

            @Override
            public void addAfter(ObjectKey key, Duration delay) {
                addLater(new Item(controller, key), clock.instant().plus(delay));
            }
        };
    }

    /** Takes the next due item. */
    synchronized Optional<Item> poll() {
        moveDue();
        if (ready.isEmpty()) {
            return Optional.empty();
        }
        Item next = ready.iterator().next();
        ready.remove(next);
        return Optional.of(next);
    }

    /** Takes the next item; waits until one is due. */
    synchronized Item take() throws InterruptedException {
        Optional<Item> next = poll();
        while (next.isEmpty()) {
            wait(Math.max(1, sleep().toMillis()));
            next = poll();
        }
        return next.get();
    }

    private synchronized void addNow(Item item) {
        if (ready.add(item)) {
            notifyAll();
        }
    }

    private synchronized void addLater(Item item, Instant due) {
        @Nullable Delayed present = delays.get(item);
        if (present != null) {
            if (!present.due().isAfter(due)) {
                return;
            }
            later.remove(present);
        }
        Delayed delayed = new Delayed(item, due, number++);
        delays.put(item, delayed);
        later.add(delayed);
        notifyAll();
    }

    private void moveDue() {
        Instant now = clock.instant();
        while (!later.isEmpty() && !later.first().due().isAfter(now)) {
            Item item = later.pollFirst().item();
            delays.remove(item);
            ready.add(item);
        }
    }

    private Duration sleep() {
        if (later.isEmpty()) {
            return SLEEP_MAX;
        }
        Duration next = Duration.between(clock.instant(), later.first().due());
        return next.compareTo(SLEEP_MAX) < 0 ? next : SLEEP_MAX;
    }
}
