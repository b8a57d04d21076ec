package dev.nodepath.cni.ipam;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Locks by key between the threads of this process, in the order of arrival. Unused keys are removed. */
final class KeyedLocks<K> {
    private final Map<K, Entry> entries = new HashMap<>();

    private static final class Entry {
        final ReentrantLock lock = new ReentrantLock(true);
        int users;
    }

    /** A held lock. The thread that took it must close it. */
    interface Held extends AutoCloseable {
        @Override
        void close();
    }

    /** Takes the lock of a key. Empty after a timeout or an interrupt. The thread stays interrupted. */
    Optional<Held> lock(K key, Duration waitMax) {
        Entry entry = enter(key);
        boolean locked = false;
        try {
            locked = entry.lock.tryLock(waitMax.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (!locked) {
                leave(key, entry);
            }
        }
        return locked ? Optional.of(() -> unlock(key, entry)) : Optional.empty();
    }

    private void unlock(K key, Entry entry) {
        entry.lock.unlock();
        leave(key, entry);
    }

    private synchronized Entry enter(K key) {
        Entry entry = entries.computeIfAbsent(key, missing -> new Entry());
        entry.users++;
        return entry;
    }

    private synchronized void leave(K key, Entry entry) {
        entry.users--;
        if (entry.users == 0) {
            entries.remove(key);
        }
    }
}
