package dev.nodepath.cni.ipam;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Locks between the threads of one test. */
public final class MemoryLocks implements LockFile {
    private final Set<Path> held = ConcurrentHashMap.newKeySet();

    @Override
    public Optional<Held> tryLock(Path file) {
        return held.add(file) ? Optional.of(() -> held.remove(file)) : Optional.empty();
    }

    /** Whether all locks are free. */
    public boolean areFree() {
        return held.isEmpty();
    }
}
